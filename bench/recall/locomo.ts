import { readFileSync } from 'node:fs'
import type { Said, Way } from './searchable.ts'

/** The fields of the public LoCoMo set. It is measured with and never shipped: its licence forbids commercial use. */
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
  /** The description of a shared picture. */
  readonly blip_caption?: string
}

export interface LocomoQuality {
  readonly questions: number
  /** The share of turns with the evidence that are among the first ten. */
  readonly turns: Share
  /** The share of sessions with the evidence that are among the first five. */
  readonly sessions: Share
}

/** Shares from 0 to 1. */
export interface Share {
  /** The mean share of the evidence of a question that is found. */
  readonly part: number
  /** How often at least one piece is found. */
  readonly any: number
  /** How often every piece is found. */
  readonly every: number
}

const UNANSWERABLE = 5
const DEPTH = 60

/** `unanswerable` adds the questions about the wrong person. Their evidence is the text that they distort. */
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

/** Each utterance as a chat prints it, with its speaker and the description of its picture. */
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

/** Parses `1:56 pm on 8 May, 2023` in the local time zone. */
function timeOf(text: string): string {
  const [time, date] = text.split(' on ')
  return new Date(`${date} ${time}`).toISOString()
}
