import type { LayerHistory, LayerHistoryOptions, LayerSource, LayerSources, LayerVersion } from '../../capability.ts'
import type { Layer } from '../../context.ts'
import { defined, sha256 } from '../../platform.ts'
import { type CallRecord, readReferredContent, type SessionStore } from '../../session.ts'
import type { CallInput } from '../calls/call-input.ts'

/**
 * The versions of a layer, newest first, and the calls that read each of them: of one session, or of all. `layer` is the name
 * or the id of the layer, or `*`. With `part`, the versions of a section of it. Looks at the newest `limit` calls. A version
 * whose content was removed has no text.
 */
export async function readLayerHistory(
  store: SessionStore,
  layer: string,
  { origin, part, ...calls }: LayerHistoryOptions,
): Promise<LayerHistory> {
  const versions = new Map<string, LayerVersion>()
  const looked = await eachLayer(store, calls, (call, digest, content) => {
    if (layer !== '*' && content.id !== layer && content.layer !== layer) return
    if (origin !== undefined && content.origin?.ref !== origin) return
    const version = versionOf(digest, content, part)
    if (version === undefined) return
    const reader = { call: call.id, time: call.time, ...defined({ session: call.session }), ...sentAs(call, content) }
    const key = `${content.id} ${version.digest}`
    const known = versions.get(key)
    versions.set(key, { ...(known ?? version), readers: [...(known?.readers ?? []), reader] })
  })
  return { layer, calls: looked, versions: [...versions.values()] }
}

/** The layers of the newest `limit` calls, each with every section that one of its versions had. */
export async function readLayerSources(store: SessionStore, options: LayerHistoryOptions): Promise<LayerSources> {
  const sources = new Map<string, LayerSource>()
  const seen = new Set<string>()
  const calls = await eachLayer(store, options, (_, digest, { id, layer, origin, renditions }) => {
    if (seen.has(digest)) return
    seen.add(digest)
    const key = JSON.stringify([layer, id, origin?.ref])
    const parts = [...(sources.get(key)?.parts ?? []), ...namedSections(renditions[0]?.text ?? '').keys()]
    sources.set(key, { layer, id, ...defined({ origin }), parts: [...new Set(parts)] })
  })
  return { calls, sources: [...sources.values()] }
}

/** Reads every layer of the newest calls, newest first, each content once. Gives the number of calls. */
async function eachLayer(
  store: SessionStore,
  { session, limit = 200 }: Pick<LayerHistoryOptions, 'session' | 'limit'>,
  visit: (call: CallRecord, digest: string, content: Layer) => void,
): Promise<number> {
  const calls =
    session === undefined
      ? await store.findCalls({ limit })
      : (await store.calls(session, { last: limit })).toReversed()
  const contents = new Map<string, Promise<Layer | undefined>>()
  for (const call of calls) {
    for (const digest of (call.input as Partial<CallInput>).layers ?? []) {
      if (!contents.has(digest)) contents.set(digest, readLayer(store, digest))
      const content = await contents.get(digest)!
      if (content !== undefined) visit(call, digest, content)
    }
  }
  return calls.length
}

async function readLayer(store: SessionStore, digest: string): Promise<Layer | undefined> {
  const text = await readReferredContent(store, digest)
  return text === undefined ? undefined : (JSON.parse(text) as Layer)
}

/** `undefined`: it has no such section. */
function versionOf(
  digest: string,
  { id, layer, renditions, origin }: Layer,
  part: string | undefined,
): LayerVersion | undefined {
  const whole = renditions[0]?.text ?? ''
  const about = { id, layer, ...defined({ origin }), readers: [] }
  if (part === undefined) return { ...about, digest: digest.replace('sha256:', ''), text: whole }
  const text = namedSections(whole).get(part)
  return text === undefined ? undefined : { ...about, digest: sha256(text), text }
}

function sentAs(
  { manifest }: CallRecord,
  { id, layer }: Layer,
): Pick<LayerVersion['readers'][number], 'form' | 'tokens'> {
  const entry = manifest.entries.find((one) => one.id === id && one.layer === layer)
  return { tokens: entry?.tokens ?? 0, ...defined({ form: entry?.form }) }
}

/** A heading that is one name in lower case, as things that are read by programs are named. Other headings belong to the text. */
const HEADING = /^## ([a-z0-9][\w.-]*)$/

/** The sections of a text that have a name of their own, with their headings, by name, without blank lines at the end. */
export function namedSections(text: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string[]>()
  let current: string[] | undefined
  for (const line of text.split('\n')) {
    const name = HEADING.exec(line)?.[1]
    if (name !== undefined && !sections.has(name)) sections.set(name, (current = []))
    current?.push(line)
  }
  return new Map([...sections].map(([name, lines]) => [name, lines.join('\n').trimEnd()]))
}
