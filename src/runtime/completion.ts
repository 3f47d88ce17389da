import { ContextOverflowError, type Layer, layoutOf, outline, turnsOf } from '../context.ts'
import { ModelError } from '../model.ts'
import type { CallOutcome, Usage } from '../session.ts'
import { recordInput } from './call-input.ts'
import type { Clock } from './clock.ts'
import { type CompletionEvent, type CompletionInput, RuntimeError } from './contract.ts'
import type { ModelChoice } from './model-choice.ts'
import { budgetFor, tryToAssemble, type Workbench } from './prepare-call.ts'
import { seal } from './seal.ts'

/**
 * One call outside every session. The caller's messages are the history and its tools are offered as they are; calls to
 * them are handed back. The call stands in the ledger like any other.
 */
export async function* complete(
  { bench, models, clock }: { bench: Workbench; models: ModelChoice; clock: Clock },
  input: CompletionInput,
): AsyncGenerator<CompletionEvent> {
  const { store, settings, calibration } = bench
  if (input.messages.length === 0) throw new RuntimeError('invalid-input', 'There are no messages. Send at least one.')
  const model = await models.resolve(input.model)
  const time = clock.time()
  const layout = layoutOf(settings.layout)
  const tools = input.tools ?? []
  const { history, current } = turnsOf(input.messages)
  const own = await bench.layers({ time, layout: layout.name, tools: tools.map((tool) => tool.name), model: model.id })
  const configured = budgetFor(bench, { model })
  const reserve = Math.min(input.maxOutputTokens ?? configured.reserve, configured.window)
  const assemblyInput = {
    layout,
    layers: [...own, ...callersLayers(input.system ?? [])],
    history,
    current,
    tools,
    budget: { ...configured, reserve },
    counter: settings.counter,
    model: model.id,
  }
  const call = clock.newId('call')
  const record = {
    id: call,
    time,
    model: model.id,
    input: await recordInput(store, assemblyInput, settings.layout, false),
  }
  const assembly = tryToAssemble(assemblyInput)
  if (assembly instanceof ContextOverflowError) {
    await store.putCall({ ...record, manifest: assembly.manifest, requestDigest: '' })
    throw new RuntimeError('context-overflow', assembly.message, { call }, { cause: assembly })
  }
  const { manifest } = seal(assembly)
  await store.putCall({ ...record, manifest, requestDigest: manifest.requestDigest })
  yield { type: 'call-start', call, model: model.id }

  const started = clock.monotonic()
  let known: Pick<CallOutcome, 'wire' | 'usage' | 'finish' | 'firstTokenMs'> = {}
  const since = () => Math.round(clock.monotonic() - started)
  let error: CallOutcome['error']
  try {
    const options = {
      signal: input.signal ?? new AbortController().signal,
      toolChoice: input.toolChoice ?? 'auto',
      maxOutputTokens: reserve,
      window: configured.window,
      leastPromptTokens: calibration.leastPromptTokens(model.id, settings.counter, manifest.used),
      account: outline(manifest),
      ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
    }
    for await (const event of model.call(assembly.request, options)) {
      if (event.type === 'wire') {
        known = { ...known, wire: { sha256: event.sha256, bytes: event.bytes, url: event.url } }
        continue
      }
      known = { ...known, firstTokenMs: known.firstTokenMs ?? since() }
      if (event.type !== 'finish') {
        yield event
        continue
      }
      known = { ...known, usage: event.usage, finish: event.reason }
      learn(bench, model.id, manifest.used, event.usage)
      yield { type: 'finish', reason: event.reason, usage: event.usage }
    }
  } catch (thrown) {
    const code = thrown instanceof ModelError ? thrown.code : 'server'
    error = { code, message: thrown instanceof Error ? thrown.message : String(thrown) }
    throw new RuntimeError(code, error.message, { call }, { cause: thrown })
  } finally {
    const unfinished = known.finish === undefined && !error
    const ended = unfinished ? { code: 'cancelled', message: 'The caller went away.' } : error
    await store.finishCall(call, { ...known, ...(ended ? { error: ended } : {}), durationMs: since() })
  }
}

function learn({ calibration, settings }: Workbench, model: string, used: number, { promptTokens }: Usage): void {
  if (promptTokens !== undefined) calibration.observe(model, settings.counter, used, promptTokens)
}

/** The caller's own system texts stand behind ours. They are a user's words, and the manifest says so. */
function callersLayers(texts: readonly string[]): readonly Layer[] {
  return texts.map((text, index) => ({
    id: `caller-${index + 1}`,
    layer: 'caller',
    placement: 'system',
    priority: 'required',
    renditions: [{ form: 'full', text }],
    origin: { kind: 'user', ref: 'system message of the request' },
  }))
}
