import useSWR, { type SWRResponse } from 'swr'
import type { Layer, Scenario } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import { useLate } from '../parts/use-late.ts'
import { type Assembled, assembleScenario } from './what-if-assembly.ts'

/** A call as it was assembled: its exact pieces, and the layers with all their forms. */
export interface CallAssembly extends Assembled {
  readonly layers: readonly Pick<Layer, 'id' | 'renditions'>[]
}

interface InspectedCall {
  readonly session: string | undefined
  /** Absent: the next call. */
  readonly call: string | undefined
  /** The text of the next message. */
  readonly draft: string
  /** Changes when the next call does. */
  readonly settledTurns: number
}

/** How long the person has to pause before the next call is assembled again, ms. */
const PAUSE_MS = 300

/** Assembles an earlier call again, or the next one, in the page: by the assembler that the gateway runs. */
export function useCallAssembly({
  session,
  call,
  draft,
  settledTurns,
}: InspectedCall): SWRResponse<CallAssembly, ApiError> {
  const input = useLate(draft.trim() === '' ? undefined : draft, PAUSE_MS)
  return useSWR<CallAssembly, ApiError>(
    call === undefined ? ['next call', session, input, settledTurns] : ['call', call],
    async () => {
      const { assembled, layers } = assembledOf(await readScenario(session, call, input))
      return { ...assembled, layers }
    },
    { keepPreviousData: true, revalidateOnFocus: call === undefined },
  )
}

function readScenario(
  session: string | undefined,
  call: string | undefined,
  input: string | undefined,
): Promise<Scenario> {
  if (call !== undefined) return api(`/api/calls/${encodeURIComponent(call)}/scenario`)
  const body = { ...(session === undefined ? {} : { session }), ...(input === undefined ? {} : { input }) }
  return api('/api/context/scenario', { method: 'POST', body })
}

function assembledOf(scenario: Scenario): { readonly assembled: Assembled; readonly layers: CallAssembly['layers'] } {
  const layers = scenario.layers.map(({ id, renditions, text = '' }) => ({
    id,
    renditions: renditions ?? [{ form: 'full', text }],
  }))
  return { assembled: assembleScenario(scenario), layers }
}
