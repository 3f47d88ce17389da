import useSWR, { type SWRResponse } from 'swr'
import type { Scenario } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import { useLate } from '../parts/use-now.ts'
import { nextCallBody, nextCallKey } from './next-call.ts'
import type { Inspected } from './inspected.ts'

/** How long the person has to pause before the next call is read again, ms. */
const PAUSE_MS = 150

interface ScenarioQuestion extends Pick<Inspected, 'call' | 'next'> {
  /** Absent: the model of the call. */
  readonly model?: string | undefined
  /** Tokens of the history to include, whatever was cut. */
  readonly history?: number | undefined
}

/**
 * The input of a call as a scenario: of the next one, with what is in the field for the message, where no call is named. Everything
 * in the inspector reads calls this way. `undefined` asks for nothing.
 */
export function useScenario(question: ScenarioQuestion | undefined): SWRResponse<Scenario, ApiError> {
  const call = question?.call
  const key = question?.next.isKnown && call === undefined ? nextCallKey(question.next) : ''
  const late = useLate(key, PAUSE_MS)
  // The first one is asked for at once.
  const asked = call ?? (late === '' ? key : late)
  return useSWR<Scenario, ApiError>(
    question && asked !== '' && ['scenario', asked, call === undefined, question.model, question.history],
    () => readScenario(question!),
    // An earlier call stays as it is.
    { keepPreviousData: true, revalidateOnFocus: call === undefined, revalidateIfStale: call === undefined },
  )
}

/** The same once. Rejects with `ApiError`. */
export async function readScenario({ call, next, model, history }: ScenarioQuestion): Promise<Scenario> {
  const ofNext = (): Promise<Scenario> =>
    api('/api/context/scenario', { method: 'POST', body: { ...nextCallBody(next), ...given({ model, history }) } })
  if (call === undefined) return ofNext()
  const suffix = history === undefined ? '' : `?history=${history}`
  const made = await api<Scenario>(`/api/calls/${encodeURIComponent(call)}/scenario${suffix}`)
  if (model === undefined) return made
  // An earlier call for another model: with the budget and the abilities that the next call would have.
  const { budget, images, tools } = await ofNext()
  return { ...made, model, budget, ...given({ images }), tools: tools.length === 0 ? [] : made.tools }
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
}
