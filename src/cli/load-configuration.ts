import type { Configuration } from '../runtime.ts'
import { CommandFailure } from './failure.ts'
import type { Io } from './io.ts'

/** The configuration in force. Throws with every problem at once where there is one. */
export async function validConfiguration(home: string, io: Io): Promise<Configuration> {
  const { homeAt, loadConfiguration, problemText } = await import('../runtime.ts')
  const { configuration, problems } = await loadConfiguration({ home, environment: io.environment })
  if (problems.length === 0) return configuration
  const count = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`
  throw new CommandFailure(
    'configuration',
    `the configuration has ${count}:\n${problems.map((problem) => `  ${problemText(problem)}`).join('\n')}`,
    { mend: `The file is ${homeAt(home).configurationFile}; \`foreword config schema\` describes it.` },
  )
}
