import type { CallOptions, Model, ModelRequest } from '../../model.ts'
import type { CallRecord } from '../../session.ts'
import type { CallInput } from '../calls/call-input.ts'
import type { FileLibrary, WireProof } from '../../capability.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { withPictures } from '../calls/with-pictures.ts'

/** How a call was made, as far as the body depends on it. Recorded with the call. */
export type RecordedOptions = Omit<CallOptions, 'signal' | 'account' | 'leastPromptTokens' | 'limits'>

/** Makes the body of an earlier call again, by its own model's provider, and compares it with the digest of the body that left. */
export interface WireProver {
  /** `undefined` where no body left: the model has no wire, or the call failed before. */
  prove(call: CallRecord, request: ModelRequest): Promise<WireProof | undefined>
}

/** `models` are asked once for each model of a prover: one that cannot be reached is not tried again at every call. */
export function createWireProver(models: Pick<ModelChoice, 'resolve'>, library: FileLibrary | undefined): WireProver {
  const known = new Map<string, Promise<Model | Error>>()

  function modelOf(id: string): Promise<Model | Error> {
    const found = known.get(id) ?? models.resolve(id).catch(errorOf)
    known.set(id, found)
    return found
  }

  return {
    async prove(call, request) {
      const expected = call.outcome?.wire?.sha256
      if (expected === undefined) return undefined
      const unknown = (why: string) => ({ state: 'unknown', expected, why }) as const
      const { options } = call.input as CallInput
      if (!options) return unknown('the record is of a version that did not note how the call was made')
      const model = await modelOf(call.model)
      if (model instanceof Error) return unknown(model.message)
      if (!model.bodyOf) return unknown(`${call.model} has no body to make`)
      const { request: filled, missing } = await withPictures(request, library)
      if (missing.length > 0) return unknown('an image that was sent is no longer there')
      const made = await model.bodyOf(filled, { ...options, signal: NEVER }).catch(errorOf)
      if (made instanceof Error) return unknown(made.message)
      const { sha256: got } = made
      return got === expected ? { state: 'identical', expected, got } : { state: 'different', expected, got }
    },
  }
}

const NEVER = new AbortController().signal

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
