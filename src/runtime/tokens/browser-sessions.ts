import { z } from 'zod'
import { type Clock, defined, sha256 } from '../../platform.ts'
import { memoryRows, openRows, type RowPlace, type Rows } from './rows.ts'

const row = z.looseObject({
  hash: z.string(),
  token: z.string(),
  expires: z.iso.datetime(),
  person: z.string().optional(),
})

/** A browser that has brought a token and got a cookie for it. */
export interface BrowserSession {
  readonly hash: string
  /** SHA-256 of the token that it brought: the session ends with that token. */
  readonly token: string
  readonly expires: string
  /** Who signed in here without a token; `token` is then no hash. */
  readonly person?: string | undefined
}

/** The browsers that are signed in. A restart keeps them. */
export interface BrowserSessions extends Pick<Rows<BrowserSession>, 'ready' | 'refresh'> {
  /** Signs a browser in with a token, by its SHA-256, and returns the value of its cookie. */
  begin(token: string): Promise<string>
  /** Signs a browser in as a person, for 30 days or so many seconds, and returns the value of its cookie. */
  beginFor(person: string, seconds?: number): Promise<string>
  /** Of the value of a cookie. Where the file cannot be read there is none. */
  find(value: string): BrowserSession | undefined
  /** Signs the browser with this cookie out. */
  end(value: string): Promise<void>
  /** Signs every browser of a person out that signed in without a token. */
  endOf(person: string): Promise<void>
}

/** How long a browser stays signed in, seconds: 30 days. */
export const BROWSER_SESSION_SECONDS = 30 * 86_400

/** The most browsers of one token. The ones that signed in first are signed out; those of other tokens stay. */
const MOST = 50

interface BrowserSessionOptions {
  /** Where `browsers.json` is. Absent: they last as long as this process. */
  readonly place?: RowPlace
  readonly random: (bytes: number) => Uint8Array
  readonly clock: Clock
}

export function openBrowserSessions({ place, random, clock }: BrowserSessionOptions): BrowserSessions {
  const rows: Rows<BrowserSession> =
    place === undefined ? memoryRows() : openRows(place, { file: 'browsers.json', row })
  const isLive = ({ expires }: BrowserSession) => Date.parse(expires) > clock.now()
  const begin = async (token: string, seconds: number, person?: string): Promise<string> => {
    const value = Buffer.from(random(32)).toString('base64url')
    const expires = new Date(clock.now() + seconds * 1_000).toISOString()
    await rows.edit((all) => {
      const live = all.filter(isLive)
      const own = live.filter((each) => each.token === token)
      const kept = new Set(own.slice(-MOST + 1))
      return [
        ...live.filter((each) => each.token !== token || kept.has(each)),
        { hash: sha256(value), token, expires, ...defined({ person }) },
      ]
    })
    return value
  }
  return {
    ready: rows.ready,
    ...defined({ refresh: rows.refresh }),
    begin: (token) => begin(token, BROWSER_SESSION_SECONDS),
    beginFor: (person, seconds = BROWSER_SESSION_SECONDS) => begin(`person:${person}`, seconds, person),
    find(value) {
      const hash = sha256(value)
      try {
        return rows.current().find((each) => each.hash === hash && isLive(each))
      } catch {
        return undefined
      }
    },
    async end(value) {
      const hash = sha256(value)
      await rows.edit((all) => all.filter((each) => each.hash !== hash && isLive(each)))
    },
    async endOf(person) {
      await rows.edit((all) => all.filter((each) => each.person !== person))
    },
  }
}
