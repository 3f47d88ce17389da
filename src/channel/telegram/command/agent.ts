import type { Runtime } from '../../../runtime.ts'
import type { ChatCommand } from './command.ts'

export const agent: ChatCommand = {
  name: 'agent',
  summary: 'which agent answers, or choose one',
  argument: 'NAME|none',
  async run({ runtime, binding, argument }) {
    const session = await runtime.sessionFor(binding)
    if (argument?.toLowerCase() === 'none') {
      await runtime.setAgent(session, undefined)
      return 'The default agent answers from now on in this session.'
    }
    const agents = await runtime.agents.list()
    if (argument === undefined) return listed(agents, (await runtime.store.session(session))?.agent)
    const named = (name: string) => name.toLowerCase() === argument.toLowerCase()
    const found = agents.find(({ id, value }) => id === argument || named(value.name))
    if (!found) return `There is no agent named ${argument}. /agent lists those there are.`
    await runtime.setAgent(session, found.id)
    return `${found.value.name} answers from now on in this session.`
  },
}

function listed(agents: Awaited<ReturnType<Runtime['agents']['list']>>, chosen: string | undefined): string {
  if (agents.length === 0) {
    return 'The default agent answers: no other was made yet. Whoever runs the gateway makes them with `foreword agents`.'
  }
  const lines = agents.map(({ id, value }) => `${id === chosen ? '→' : '·'} ${value.name}`)
  const standard = `${chosen === undefined ? '→' : '·'} none: the default agent`
  return [standard, ...lines, '', 'Choose one with /agent NAME.'].join('\n')
}
