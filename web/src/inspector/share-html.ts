import { type CallFigures, entrySentence, type Manifest } from '../../../src/context.ts'
import { count, dollars, timeText } from '../parts/numbers.ts'
import { barSegments, entryKind, kindTitles, segmentWords } from './bar-segments.ts'
import { entryTitle, formSentence, originTitles } from './entry-words.ts'
import { entryKey } from './share-texts.ts'
import { documentHtml, escaped } from '../markdown/static-html.ts'
import { t, translated } from '../language/language.ts'

interface SharedCall {
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  readonly model: string
  /** In the tokens of its provider. */
  readonly manifest: Manifest
  readonly figures: CallFigures
  /** Why another model than the one that was wanted was called. */
  readonly fallback?: string | undefined
  /** What the model read of each candidate, by `entryKey`. */
  readonly texts: ReadonlyMap<string, string>
  /** What people call a candidate, by its id. */
  readonly titles: ReadonlyMap<string, string>
  /** SHA-256 of the request. */
  readonly digest: string
}

/** A call as a document of its own: the bar, every candidate, and what the model read of it. It has no script and sends no request. */
export function sharedCallHtml(shared: SharedCall): string {
  const { id, time, model, manifest, figures, digest } = shared
  const { window } = manifest.budget
  const figure = (kind: string, value: number | undefined, words: string) => figureHtml(id, kind, value, words)
  const segments = barSegments(manifest)
  const bar = segments
    .map((segment) => {
      const width = ((segment.tokens / window) * 100).toFixed(3)
      return `<i class="${segment.kind}" title="${escaped(segmentWords(segment))}" style="width:${width}%"></i>`
    })
    .join('')
  const legend = segments
    .map(({ kind, title, tokens }) => `<li><b class="${kind}"></b>${escaped(title)} ${count(tokens)}</li>`)
    .join('')
  const [sent, left] = [manifest.entries.filter(isSent), manifest.entries.filter((entry) => !isSent(entry))]
  const body = `<h1>${t`What the model read`}</h1>
<p>${t`This is one request to the model ${escaped(model)}, sent on ${`<time datetime="${escaped(time)}">${timeWords(time)}</time>`}. It has ${figure('total', figures.total, count(figures.total))} tokens of a window of ${figure('window', figures.window, count(figures.window))}${cacheText(figures, figure)}. Open a part to read its text.`}</p>${shared.fallback === undefined ? '' : `\n<p>${escaped(shared.fallback)}</p>`}
<div class="bar" role="img" aria-label="${escaped(segments.map(segmentWords).join(', '))}">${bar}</div>
<ul class="legend">${legend}</ul>
<h2>${t`In the request`} (${sent.length})</h2>
${sent.map((entry) => entryHtml(entry, shared)).join('\n')}
${left.length === 0 ? '' : `<h2>${t`Left out`} (${left.length})</h2>\n${left.map((entry) => entryHtml(entry, shared)).join('\n')}`}
<footer>${t`Call`}: ${escaped(id)}<br>${t`Layout`}: ${escaped(manifest.layout)}<br>${t`Counter of tokens`}: ${escaped(manifest.counter.id)}<br>${t`SHA-256 of the request`}: <code>${escaped(digest)}</code></footer>`
  return documentHtml(t`Call ${escaped(id)}`, style, body)
}

type DrawFigure = (kind: string, value: number | undefined, words: string) => string

/** What came from the cache, and the cost, as far as they are known. */
function cacheText({ cached, written = 0, fresh = 0, money }: CallFigures, figure: DrawFigure): string {
  const parts = [
    ...(cached === undefined
      ? [t`what came from the cache was not reported`]
      : [
          t`${figure('cached', cached, count(cached))} from the cache`,
          ...(written > 0 ? [t`${figure('written', written, count(written))} written to it`] : []),
          t`${figure('fresh', fresh, count(fresh))} new`,
        ]),
    ...(money === undefined
      ? []
      : [t`${figure('money', money, money === 0 ? t`nothing` : dollars(money))} paid with the answer`]),
  ]
  return `: ${parts.join(', ')}`
}

function figureHtml(call: string, kind: string, value: number | undefined, words: string): string {
  return `<span data-figure="${kind}" data-call="${escaped(call)}" data-value="${value ?? ''}">${words}</span>`
}

type Entry = Manifest['entries'][number]

function isSent({ outcome }: Entry): boolean {
  return outcome !== 'omitted'
}

function entryHtml(entry: Entry, { manifest, texts, titles }: SharedCall): string {
  const { id, layer, form, tokens, fullTokens, origin, name = origin.ref } = entry
  const kind = entryKind(entry)
  const text = texts.get(entryKey(entry))
  const title = [entryTitle(entry, manifest), layer === 'turn' ? titles.get(id) : undefined].filter(Boolean).join(': ')
  const cost = tokens === fullTokens ? count(tokens) : t`${tokens} of ${fullTokens}`
  const from = layer === 'turn' ? t`From the conversation` : `${originTitles[origin.kind]}: ${name}`
  const why = isSent(entry) ? formSentence(entry, manifest) : translated(entrySentence(entry, manifest)!)
  return `<details><summary><b class="${kind}"></b><span>${escaped(title)}</span><span class="n">${cost}</span></summary>
<p>${kindTitles[kind]} · ${escaped(from)}</p>
<p title="${escaped(form ?? '')}">${escaped(why)}</p>${text === undefined ? '' : `<pre>${escaped(text)}</pre>`}</details>`
}

/** In universal time: the file is read anywhere. */
function timeWords(time: string): string {
  return `${timeText(time, { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' })} UTC`
}

const style = `
body{max-width:60rem}h2{font-size:1.05rem;margin-top:2rem}p{color:light-dark(#55594f,#a9aca0)}
.bar{display:flex;height:1.2rem;border:1px solid light-dark(#8f8a7d,#7d8378);border-radius:.6rem;overflow:hidden}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;font-size:.85rem}
b{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;margin-right:.4rem;flex:none}
details{border-bottom:1px solid light-dark(#dedad0,#343833)}summary{display:flex;align-items:baseline;gap:.4rem;padding:.35rem 0;cursor:pointer}
summary span:first-of-type{flex:1;overflow-wrap:anywhere}.n{font-variant-numeric:tabular-nums}
pre{white-space:pre-wrap}pre,code{overflow-wrap:anywhere}
.tools{background:#7d6bb0}.system{background:#2f6f9f}.skills{background:#2a8a86}.preamble{background:#67788a}.files{background:#b0476f}.history{background:#4d8a4b}
.before-input{background:#a0862a}.input{background:#c2662d}.after-input{background:#8c5a3c}.margin{background:#dedad0}.reserve{background:#b9b4a6}
b.free{border:1px solid #8f8a7d}`
