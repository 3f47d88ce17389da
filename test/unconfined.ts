import { systemClock } from '../src/platform.ts'
import { type Sandbox } from '../src/tool.ts'
import { runProgram } from '../src/tool/process/run-program.ts'

/** No sandbox, for tests of what is done before and after a program runs. */
export const unconfined: Sandbox = {
  plan: async () => ({
    type: 'planned',
    text: 'none',
    asks: false,
    isConfined: false,
    run: (program, limits) => runProgram(systemClock, program, limits),
  }),
  enter: async ({ argv }) => ({ argv, leave: async () => ({ moved: [], changed: [] }) }),
}
