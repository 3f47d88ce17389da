import { markImages, messageTokens } from '../../context.ts'
import { type Model, type ModelRequest, type PromptReport, promptReport } from '../../model.ts'
import type { CallOutcome, CallWarning, Usage } from '../../session.ts'
import type { CallForecast, SealedManifest } from '../ledger/seal.ts'
import type { AssemblyContext } from './assembly-context.ts'

/** What a call was estimated at, to be held against what its provider reports. All in tokens, by our counter. */
export interface PromptAccount {
  readonly call: string
  readonly used: number
  /** `used` without images: every provider counts those differently. */
  readonly text: number
  /** Whether images are among it. A small image can count no more than the words that replace it: `text` does not show that. */
  readonly images: boolean
  /** Of `text`, what no call before can have left in the provider's cache. */
  readonly fresh: number
  /** What was forecast of it. */
  readonly forecast?: CallForecast | undefined
}

type Learning = Pick<AssemblyContext, 'settings' | 'calibration' | 'limits'>

export function promptAccount(
  { settings, calibration }: Learning,
  model: Model,
  {
    call,
    manifest,
    request,
  }: {
    readonly call: string
    readonly manifest: Pick<SealedManifest, 'used' | 'slots' | 'reuse' | 'forecast'>
    readonly request: ModelRequest
  },
): PromptAccount {
  const { used, slots, reuse, forecast } = manifest
  const head = slots.tools + slots.system + slots.preamble
  const cacheable = calibration.wasCalled(model.id) ? Math.max(reuse?.tokens ?? 0, head) : 0
  let text = used
  let images = false
  for (const message of request.messages) {
    // Less the marker that would replace an image.
    const marked = markImages(message, NONE)
    if (marked) {
      images = true
      text -= Math.max(0, messageTokens(settings.counter, message) - messageTokens(settings.counter, marked.message))
    }
  }
  return { call, used, text, images, fresh: Math.min(text, used - cacheable), forecast }
}

const NONE = { seen: false, inResults: false, byAddress: false }

/** Learns from what a provider reported of a prompt: how far the counter is off, or that less is read than was sent. */
export function learnFrom(
  context: Learning,
  model: Model,
  account: PromptAccount,
  { usage, error }: Pick<CallOutcome, 'usage' | 'error'>,
): void {
  const reported = usage?.promptTokens
  if (reported === undefined) return
  const { call, used, images } = account
  const { calibration, limits } = context
  const { counter } = context.settings
  const report = error?.code === 'prompt-truncated' ? 'short' : judgeReport(context, model, account, reported)
  if (report === 'short') {
    limits.readShort(model, { read: Math.floor(reported / calibration.ratio(model.id, counter)), used, call })
  } else if (report === 'whole') {
    limits.readWhole(model, { reported, used })
    if (images) return
    // With the ratio that the forecast was made with.
    const { cached = 0, written = 0, fresh = 0, counted, messages = 0, known } = account.forecast ?? {}
    const expected = cached + written + fresh
    if (counted) calibration.observeKinds(model.id, counter, { counted, messages, known, expected, reported })
    calibration.observe(model.id, counter, used, reported)
  }
}

/** The warning where a provider reports far fewer tokens than an answered prompt was estimated at. An estimate proves nothing. */
export function shortReportWarning(
  context: Learning,
  model: Model,
  account: PromptAccount,
  { promptTokens: reported }: Usage,
): CallWarning | undefined {
  if (reported === undefined || judgeReport(context, model, account, reported) !== 'short') return undefined
  return {
    code: 'prompt-read-short',
    message:
      `${model.id} reports ${reported} prompt tokens, and about ${expectedTokens(context, model, account)} were sent: its server ` +
      `may have left out a part. The answer is kept; for an hour, Foreword sends smaller prompts. ` +
      `Set models."${model.id}".window to the context length that it is served with.`,
  }
}

function judgeReport(context: Learning, model: Model, account: PromptAccount, reported: number): PromptReport {
  const { calibration, settings } = context
  const expected = expectedTokens(context, model, account)
  const fresh = Math.round(account.fresh * calibration.ratio(model.id, settings.counter))
  return promptReport({
    expected,
    fresh,
    reported,
    measured: calibration.isMeasured(model.id, settings.counter),
  })
}

function expectedTokens({ calibration, settings }: Learning, model: Model, { text }: PromptAccount): number {
  return Math.round(text * calibration.ratio(model.id, settings.counter))
}
