import type { ModelStatus } from '../../../capability.ts'
import { shortened } from '../shown-text.ts'
import type { ChatCommand } from './command.ts'

export const model: ChatCommand = {
  name: 'model',
  summary: 'which model answers, or choose one',
  argument: 'ID|default',
  async run({ runtime, binding, argument }) {
    const session = await runtime.sessionFor(binding)
    if (argument?.toLowerCase() === 'default') {
      await runtime.setModel(session, undefined)
      const { id } = (await runtime.status()).model
      return `${id} answers from now on in this session: it is the configured model.`
    }
    if (argument !== undefined) {
      await runtime.setModel(session, argument)
      return `${argument} answers from now on in this session.`
    }
    const [chosen, all] = await Promise.all([
      runtime.store.session(session).then((row) => row?.model),
      runtime.models(),
    ])
    const models = workingFirst(all, chosen)
    const lines = models.slice(0, MOST).map((status) => modelLine(status, chosen))
    const more = models.length > MOST ? [`… and ${models.length - MOST} more`] : []
    return [...lines, ...more, '', 'Choose one with /model ID; /model default goes back.'].join('\n')
  },
}

/** The one that answers, then those that can, then the providers that cannot and say why. */
function workingFirst(models: readonly ModelStatus[], chosen: string | undefined): readonly ModelStatus[] {
  const rank = (status: ModelStatus) => (isAnswering(status, chosen) ? 0 : status.ready ? 1 : 2)
  return models.toSorted((one, other) => rank(one) - rank(other))
}

function isAnswering({ id, current }: ModelStatus, chosen: string | undefined): boolean {
  return chosen === undefined ? current : id === chosen
}

/** Models of a list. */
const MOST = 30

function modelLine(status: ModelStatus, chosen: string | undefined): string {
  const { id, ready, why } = status
  const fault = ready ? '' : ` (${shortened(why ?? 'it is not ready', 120)})`
  return `${isAnswering(status, chosen) ? '→' : '·'} ${id}${fault}`
}
