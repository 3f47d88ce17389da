import type { LayerHistory, LayerHistoryOptions, LayerVersion } from '../../capability.ts'
import type { Layer } from '../../context.ts'
import { defined } from '../../platform.ts'
import { type CallRecord, readReferredContent, type SessionStore } from '../../session.ts'
import type { CallInput } from '../calls/call-input.ts'

/**
 * The versions of a layer, newest first, and the calls that read each of them: of one session, or of all. `layer` is the name
 * or the id of the layer. Looks at the newest `limit` calls. A version whose content was removed has no text.
 */
export async function readLayerHistory(
  store: SessionStore,
  layer: string,
  { session, limit = 200 }: LayerHistoryOptions,
): Promise<LayerHistory> {
  const calls =
    session === undefined
      ? await store.findCalls({ limit })
      : (await store.calls(session, { last: limit })).toReversed()
  const contents = new Map<string, Promise<Layer | undefined>>()
  const versions = new Map<string, LayerVersion>()
  for (const call of calls) {
    for (const digest of layerDigests(call)) {
      if (!contents.has(digest)) contents.set(digest, readLayer(store, digest))
      const content = await contents.get(digest)!
      if (content === undefined || (content.id !== layer && content.layer !== layer)) continue
      const known = versions.get(digest)
      const reader = { call: call.id, time: call.time, ...defined({ session: call.session }), ...sentAs(call, content) }
      versions.set(digest, {
        ...(known ?? firstSeen(digest, content)),
        readers: [...(known?.readers ?? []), reader],
      })
    }
  }
  return { layer, calls: calls.length, versions: [...versions.values()] }
}

function layerDigests({ input }: CallRecord): readonly string[] {
  return (input as Partial<CallInput>).layers ?? []
}

async function readLayer(store: SessionStore, digest: string): Promise<Layer | undefined> {
  const text = await readReferredContent(store, digest)
  return text === undefined ? undefined : (JSON.parse(text) as Layer)
}

function firstSeen(digest: string, { id, renditions, origin }: Layer): Omit<LayerVersion, 'readers'> {
  return { id, digest: digest.replace('sha256:', ''), text: renditions[0]?.text ?? '', ...defined({ origin }) }
}

function sentAs(
  { manifest }: CallRecord,
  { id, layer }: Layer,
): Pick<LayerVersion['readers'][number], 'form' | 'tokens'> {
  const entry = manifest.entries.find((one) => one.id === id && one.layer === layer)
  return { tokens: entry?.tokens ?? 0, ...defined({ form: entry?.form }) }
}
