import type { SessionConfigOption, SessionConfigSelectOption } from '@agentclientprotocol/sdk'
import type { ChoiceOption, ModelStatus } from '../../capability.ts'
import { apiPath, CommandFailure, requestJson, requestList } from '../../cli.ts'
import { defined } from '../../platform.ts'
import type { GatewayLink } from './gateway-link.ts'

export type EditorSessionView = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly title?: string
  readonly opening?: string
  readonly updated: string
  readonly entries: number
  readonly head?: string | null
  readonly model?: string
  readonly turns: number
  /** Only where it was asked for. */
  readonly cost?: { readonly money?: number; readonly unpriced: number }
}

interface OfferedChoice {
  readonly name: string
  readonly summary: string
  readonly none: string
  /** An editor has no option of several values. */
  readonly several?: boolean
}

/** What a person can choose for a session in the editor: its model, and the choices of capabilities that can be listed. */
export async function configOptions(link: GatewayLink, session: EditorSessionView): Promise<SessionConfigOption[]> {
  const [models, choices] = await Promise.all([
    requestList<ModelStatus>(link, '/api/models', 'models'),
    requestList<OfferedChoice>(link, '/api/choices', 'choices'),
  ])
  const single = choices.filter(({ several }) => !several)
  const others = await Promise.all(single.map((choice) => choiceOption(link, choice, session)))
  return [modelOption(models, session), ...others.filter((option) => option !== undefined)]
}

export async function setConfigOption(link: GatewayLink, session: string, id: string, value: unknown): Promise<void> {
  const choices = await requestList<OfferedChoice>(link, '/api/choices', 'choices')
  const ids = [MODEL, ...choices.map(({ name }) => name)]
  if (!ids.includes(id) || typeof value !== 'string') {
    throw new CommandFailure('invalid-input', `There is no option ${JSON.stringify(id)} with such a value.`, {
      hint: `The options are ${ids.join(', ')}.`,
    })
  }
  const body = { [id]: value === UNSET ? null : value }
  await requestJson(link, apiPath('/api/sessions/', session), { method: 'PATCH', body })
}

const MODEL = 'model'

/** The value that returns to what is usual. No model and no record has such an id. */
const UNSET = '(usual)'

function modelOption(models: readonly ModelStatus[], { model }: EditorSessionView): SessionConfigOption {
  const configured = models.find(({ current }) => current)?.id
  const options: SessionConfigSelectOption[] = models
    .filter(({ id, ready }) => ready || id === model)
    .map(({ id, ready, why }) => ({ value: id, name: id, ...(ready ? {} : defined({ description: why })) }))
  const usual = { value: UNSET, name: configured === undefined ? 'as configured' : `as configured (${configured})` }
  return {
    type: 'select',
    id: MODEL,
    name: 'Model',
    category: 'model',
    currentValue: model ?? UNSET,
    options: [usual, ...withCurrent(options, model)],
  }
}

async function choiceOption(
  link: GatewayLink,
  { name, summary, none }: OfferedChoice,
  session: EditorSessionView,
): Promise<SessionConfigOption | undefined> {
  const { options } = await requestJson<{ readonly options?: readonly ChoiceOption[] }>(
    link,
    apiPath('/api/choices/', name),
  )
  const chosen = session[name]
  const current = typeof chosen === 'string' ? chosen : undefined
  if (options === undefined || (options.length === 0 && current === undefined)) return undefined
  const values = options.map(({ id, name: shown = id, summary: about }) => ({
    value: id,
    name: shown,
    ...defined({ description: about }),
  }))
  return {
    type: 'select',
    id: name,
    name: name.charAt(0).toUpperCase() + name.slice(1),
    description: summary,
    currentValue: current ?? UNSET,
    options: [{ value: UNSET, name: none }, ...withCurrent(values, current)],
  }
}

/** The chosen value is among the options even where it is gone meanwhile. */
function withCurrent(options: SessionConfigSelectOption[], current: string | undefined): SessionConfigSelectOption[] {
  if (current === undefined || options.some(({ value }) => value === current)) return options
  return [...options, { value: current, name: current }]
}
