import { readFileSync } from 'node:fs'
import type { Said, Way } from './searchable.ts'

/** What is read of the public LoCoMo set. It is measured with and never shipped: its licence forbids commercial use. */
interface Sample {
  readonly conversation: Readonly<Record<string, unknown>>
  readonly qa: readonly {
    readonly question: string
    readonly category: number
    readonly evidence?: readonly string[]
  }[]
}

interface Utterance {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  /** What a shared picture shows. */
  readonly blip_caption?: string
}

export interface LocomoQuality {
  readonly questions: number
  /** Of the turns that hold the answer, those among the first ten. */
  readonly turns: Share
  /** The same of sessions, among the first five. */
  readonly sessions: Share
}

/** From 0 to 1. */
export interface Share {
  /** How much of a question's evidence is found. */
  readonly part: number
  /** How often at least one piece of it is. */
  readonly any: number
  /** How often every piece is. */
  readonly every: number
}

const UNANSWERABLE = 5
const DEPTH = 60

/** `unanswerable`: with those questions too that ask about the wrong person; their evidence is what they distort. */
export async function locomoQuality(file: string, way: Way, unanswerable = false): Promise<LocomoQuality> {
  const samples = JSON.parse(readFileSync(file, 'utf8')) as readonly Sample[]
  const turns: Share[] = []
  const sessions: Share[] = []
  for (const sample of samples) {
    const said = saidIn(sample)
    const sessionOf = new Map(said.map(({ id, session }) => [id, session]))
    const { search, close } = await way.fill(said)
    for (const { question, category, evidence = [] } of sample.qa) {
      const wanted = evidence.flatMap((each) => each.split(/[;\s]+/)).filter((id) => sessionOf.has(id))
      if ((category === UNANSWERABLE && !unanswerable) || wanted.length === 0) continue
      const found = search(question, DEPTH)
      const foundSessions = [...new Set(found.map((id) => sessionOf.get(id)!))]
      turns.push(share(wanted, found.slice(0, 10)))
      sessions.push(
        share(
          wanted.map((id) => sessionOf.get(id)!),
          foundSessions.slice(0, 5),
        ),
      )
    }
    close()
  }
  return { questions: turns.length, turns: mean(turns), sessions: mean(sessions) }
}

function share(wanted: readonly string[], found: readonly string[]): Share {
  const different = [...new Set(wanted)]
  const hits = different.filter((each) => found.includes(each)).length
  const part = hits / different.length
  return { part, any: part > 0 ? 1 : 0, every: part === 1 ? 1 : 0 }
}

function mean(shares: readonly Share[]): Share {
  const sum = (of: (share: Share) => number) => shares.reduce((total, each) => total + of(each), 0) / shares.length
  return { part: sum(({ part }) => part), any: sum(({ any }) => any), every: sum(({ every }) => every) }
}

/** Each utterance with its speaker before it, and what a picture that came with it shows, as a chat prints them. */
function saidIn({ conversation }: Sample): readonly Said[] {
  return Object.entries(conversation).flatMap(([session, utterances]) =>
    /^session_\d+$/.test(session)
      ? (utterances as readonly Utterance[]).map(({ speaker, dia_id: id, text, blip_caption: picture }) => ({
          id,
          session,
          time: timeOf(conversation[`${session}_date_time`] as string),
          text: `${speaker}: ${text}${picture === undefined ? '' : ` [${picture}]`}`,
        }))
      : [],
  )
}

/** `1:56 pm on 8 May, 2023`, on this machine's clock. */
function timeOf(text: string): string {
  const [time, date] = text.split(' on ')
  return new Date(`${date} ${time}`).toISOString()
}
