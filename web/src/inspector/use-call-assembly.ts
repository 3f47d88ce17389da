import useSWR, { type SWRResponse } from 'swr'
import type { Layer, Scenario } from '../../../src/context.ts'
import { api, type ApiError } from '../api/client.ts'
import { useLate } from '../parts/use-late.ts'
import { type NextCall, nextCallBody, nextCallKey } from './next-call.ts'
import { assembleBeside } from './what-if-assembler.ts'
import type { Assembled } from './what-if-assembly.ts'

/** A call as it was assembled: its exact pieces, and the layers with all their forms. */
export interface CallAssembly extends Assembled {
  readonly layers: readonly Pick<Layer, 'id' | 'renditions'>[]
}

interface InspectedCall {
  /** Absent: the next call. */
  readonly call: string | undefined
  readonly next: NextCall
}

/** How long the person has to pause before the next call is assembled again, ms. */
const PAUSE_MS = 300

/** Assembles an earlier call again, or the next one, beside the page: by the assembler that the gateway runs. */
export function useCallAssembly({ call, next }: InspectedCall): SWRResponse<CallAssembly, ApiError> {
  const late = useLate(call === undefined ? nextCallKey(next) : '', PAUSE_MS)
  return useSWR<CallAssembly, ApiError>(
    call === undefined ? ['next call', late] : ['call', call],
    async () => {
      const scenario = await readScenario(call, next)
      return { ...(await assembleBeside(scenario)), layers: layersOf(scenario) }
    },
    { keepPreviousData: true, revalidateOnFocus: call === undefined },
  )
}

function readScenario(call: string | undefined, next: NextCall): Promise<Scenario> {
  if (call !== undefined) return api(`/api/calls/${encodeURIComponent(call)}/scenario`)
  return api('/api/context/scenario', { method: 'POST', body: nextCallBody(next) })
}

function layersOf({ layers }: Scenario): CallAssembly['layers'] {
  return layers.map(({ id, renditions, text = '' }) => ({ id, renditions: renditions ?? [{ form: 'full', text }] }))
}
