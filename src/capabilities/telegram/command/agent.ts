import type { Runtime } from '../../../runtime.ts'
import type { ChatCommand } from './command.ts'
import { meantBy } from './meant-by.ts'

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
    if (argument === undefined) return listed(agents, (await runtime.store.session(session))?.choices['agent'])
    const [found, ...others] = meantBy(argument, agents, ({ id, value }) => ({ id, name: value.name }))
    if (others.length > 0) {
      const names = [found!, ...others].map(({ value }) => `· ${value.name}`)
      return [`Several agents begin with ${argument}:`, ...names].join('\n')
    }
    if (!found) return `There is no agent named ${argument}. /agent lists them.`
    await runtime.setAgent(session, found.id)
    return `${found.value.name} answers from now on in this session.`
  },
}

function listed(agents: Awaited<ReturnType<Runtime['agents']['list']>>, chosen: string | undefined): string {
  if (agents.length === 0) {
    return 'The default agent answers; there is no other. The owner of the gateway makes one with `foreword agents new`.'
  }
  const lines = agents.map(({ id, value }) => `${id === chosen ? '→' : '·'} ${value.name}`)
  const standard = `${chosen === undefined ? '→' : '·'} none: the default agent`
  return [standard, ...lines, '', 'Choose one with /agent NAME.'].join('\n')
}
