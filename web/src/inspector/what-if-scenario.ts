import useSWR, { type SWRResponse } from 'swr'
import type { Scenario } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import type { Inspected } from './share-late-panel.tsx'

/** How often the next call is read again, ms. */
const REFRESH_MS = 5_000

interface ScenarioQuestion extends Inspected {
  readonly model?: string | undefined
  /** So much of the history, tokens, whatever was cut. */
  readonly history?: number | undefined
}

/** The input of a call as a scenario: of the next one where no call is named. `undefined` asks for nothing. */
export function useScenario(question: ScenarioQuestion | undefined): SWRResponse<Scenario, ApiError> {
  return useSWR<Scenario, ApiError>(
    question && ['scenario', question.session, question.call, question.model, question.history],
    () => readScenario(question!),
    // An earlier call stays as it is; the next one changes with every turn.
    question?.call === undefined
      ? { keepPreviousData: true, refreshInterval: REFRESH_MS }
      : { keepPreviousData: true, revalidateOnFocus: false },
  )
}

/** The same once. Rejects with `ApiError`. */
export async function readScenario({ session, call, model, history }: ScenarioQuestion): Promise<Scenario> {
  const next = (): Promise<Scenario> =>
    api('/api/context/scenario', { method: 'POST', body: given({ session, model, history }) })
  if (call === undefined) return next()
  const suffix = history === undefined ? '' : `?history=${history}`
  const made = await api<Scenario>(`/api/calls/${encodeURIComponent(call)}/scenario${suffix}`)
  if (model === undefined) return made
  // An earlier call for another model: with the budget and the abilities that the next call would have.
  const { budget, images, tools } = await next()
  return { ...made, model, budget, ...given({ images }), tools: tools.length === 0 ? [] : made.tools }
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
}
