import {
  capability,
  type ChoiceOption,
  knownLayout,
  RuntimeError,
  type Self,
  type SessionChoice,
} from '../../capability.ts'
import { nearestHint } from '../../platform.ts'

const layout: SessionChoice<Self> = {
  summary: 'Name of the layout that arranges the context.',
  none: 'the usual layout',
  async check({ layouts: known }, name) {
    if (Object.hasOwn(known, name)) return
    const names = Object.keys(known)
    const hint = nearestHint(name, names, `There are ${names.join(', ')}.`)
    throw new RuntimeError('not-found', `There is no layout ${JSON.stringify(name)}.`, { layout: name }, { hint })
  },
  list: async ({ layouts: known }) => Object.keys(known).map((id): ChoiceOption => ({ id })),
  async preset({ layouts: known }, name) {
    const found = await knownLayout(name, known)
    return found === undefined ? undefined : { layout: found }
  },
}

/** The layout of one session. It stands before the custom agents: what a session chose itself goes before what its agent has. */
export const sessionLayout = capability({
  name: 'session-layout',
  summary: 'lets a session choose its layout',
  sessions: { choices: { layout } },
})
