import type { ListedSession } from '../api/resources.ts'
import type { Entry } from '../../../src/session.ts'
import { outcomeNotice } from '../../../src/runtime/sessions/outcome-notice.ts'
import { api } from '../api/client.ts'
import { conversationOf, type Part, type Turn } from '../log/conversation.ts'
import { saveFile } from '../parts/save-file.ts'
import { documentHtml, escaped, markdownHtml } from '../markdown/static-html.ts'
import { timeText } from '../parts/numbers.ts'
import { t, translated } from '../language/language.ts'

/** How many entries of the log are read at once: the most that the gateway gives. */
const PAGE = 500

/** Saves a conversation as a page of its own, as its reader sees it: one file without a script, which sends no request. */
export async function saveConversation({ id }: ListedSession, title: string): Promise<void> {
  const entries: Entry[] = []
  const path = `/api/sessions/${encodeURIComponent(id)}/entries?limit=${PAGE}&after=`
  for (let page: readonly Entry[] | undefined; page === undefined || page.length === PAGE;) {
    page = (await api<{ readonly entries: readonly Entry[] }>(path + (entries.at(-1)?.seq ?? 0))).entries
    entries.push(...page)
  }
  const name = title
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  saveFile(`${name || 'conversation'}.html`, conversationHtml(title, entries), 'text/html')
}

/** The document, by the whole log of the session. */
function conversationHtml(title: string, entries: readonly Entry[]): string {
  const models = new Map(
    entries.flatMap((entry) => (entry.type === 'assembly' && entry.model ? [[entry.call, entry.model] as const] : [])),
  )
  const turns = conversationOf(entries).turns.filter(({ undone }) => !undone)
  const body = `<h1 dir="auto">${escaped(title)}</h1>
${turns.map((turn) => turnHtml(turn, models)).join('\n')}
<footer>${t`Saved from Foreword.`}</footer>`
  return documentHtml(escaped(title), style, body)
}

function turnHtml(turn: Turn, models: ReadonlyMap<string, string>): string {
  const { text, attachments, parts, calls, time, outcome } = turn
  const files = attachments.map(({ name }) => `<li><bdi>${escaped(name)}</bdi></li>`).join('')
  const notice = outcome && outcomeNotice(outcome)
  const model = models.get(calls.at(-1) ?? '')
  const when = `<time datetime="${escaped(time)}">${timeText(time)}</time>`
  return `<article>
<section class="said" dir="auto" aria-label="${t`Message`}">${files && `<ul>${files}</ul>`}${escaped(text)}</section>
<section aria-label="${t`Answer`}">${parts.map(partHtml).join('\n')}${notice === undefined ? '' : `<p class="note">${escaped(translated(notice))}</p>`}</section>
<p class="note">${model === undefined ? '' : `<bdi>${escaped(model)}</bdi> · `}${when}</p>
</article>`
}

function partHtml(part: Part): string {
  if (part.type !== 'tool') return part.type === 'text' ? markdownHtml(part.text) : fold(t`Reasoning`, part.text)
  const input = JSON.stringify(part.input, undefined, 2) ?? ''
  return fold(part.name, [input, part.result ?? ''].join('\n\n').trim())
}

/** Longer texts of tools are cut. Characters. */
const LONGEST = 20_000

function fold(summary: string, text: string): string {
  const more = text.length - LONGEST
  const shown = more > 0 ? `${text.slice(0, LONGEST)}\n${t`… ${more} more characters`}` : text
  return `<details><summary>${escaped(summary)}</summary><pre dir="auto">${escaped(shown)}</pre></details>`
}

/** The document has both colour schemes of the page. */
const style = `
:root{font:16px/1.6 system-ui,sans-serif}body{max-width:46rem;overflow-wrap:anywhere}
h3,h4,h5,h6{font-size:1.05rem;margin:1.2rem 0 .4rem}a{color:light-dark(#1f5f52,#7cc4b2)}
article{margin:2rem 0}.said{width:fit-content;max-width:85%;margin-inline-start:auto;padding:.6rem 1rem;border-radius:1rem;white-space:pre-wrap;background:light-dark(#eeece5,#232623)}
.said ul{margin:0 0 .4rem;padding:0;list-style:none;font-size:.85rem}
.note{font-size:.85rem;color:light-dark(#55594f,#a9aca0)}
pre{overflow-x:auto;font-size:.85rem;line-height:1.5;overflow-wrap:normal}
details{margin:.4rem 0;border:1px solid light-dark(#dedad0,#343833);border-radius:.4rem;padding:.2rem .8rem}summary{cursor:pointer}details pre{white-space:pre-wrap;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;overflow-wrap:normal}th,td{border:1px solid light-dark(#dedad0,#343833);padding:.3rem .7rem}
blockquote{margin-inline:0;padding-inline-start:1rem;border-inline-start:3px solid light-dark(#dedad0,#343833)}`
