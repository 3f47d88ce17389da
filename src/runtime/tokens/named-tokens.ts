import { z } from 'zod'
import { RuntimeError, type TokenScope, tokenScopes } from '../../capability.ts'
import { defined, sha256 } from '../../platform.ts'
import { type TokenStore, tokenStore } from '../home/home.ts'
import { isThere, openPeople, type People, personNotFound } from './people.ts'
import { openRows, readable, type RowPlace, type Rows } from './rows.ts'
import { type BrowserSessions, openBrowserSessions } from './browser-sessions.ts'
import { openTokenUses, type TokenUses } from './token-uses.ts'

const row = z.looseObject({
  name: z.string(),
  scope: z.enum(tokenScopes),
  /** SHA-256 of the token, hexadecimal. The token has 256 random bits, so that no guess is worth its hash. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  made: z.iso.datetime(),
  /** ISO 8601; absent: never. */
  expires: z.iso.datetime().optional(),
  person: z.string().optional(),
  invites: z.literal(true).optional(),
})

/** A token that somebody beside the owner has, as it is kept: without the token itself. */
export interface NamedToken {
  readonly name: string
  readonly scope: TokenScope
  /** SHA-256 of the token, in lowercase hexadecimal. */
  readonly hash: string
  readonly made: string
  /** ISO 8601; absent: never. */
  readonly expires?: string | undefined
  /** Whose it is, and whose home it opens. Absent: that of the owner. */
  readonly person?: string | undefined
  /** It opens nothing but one browser of that person, once. */
  readonly invites?: true | undefined
}

export interface TokenDraft extends Pick<NamedToken, 'person' | 'invites'> {
  readonly name: string
  readonly scope: TokenScope
  /** A span from now, such as `30d`, or a date, which is valid to its end, or a time. Absent: never. */
  readonly expires?: string | undefined
}

/** The named tokens of a home. They are in `data/tokens.json`, hashed; every change is in the audit before it counts. */
export interface NamedTokens extends Pick<Rows<NamedToken>, 'ready' | 'refresh'> {
  /** In the order in which they were made; expired ones, too. Throws RuntimeError `storage` where the file cannot be read. */
  list(): readonly NamedToken[]
  /** The one with this hash, though it may have expired. Where the file cannot be read there is none. */
  find(hash: string): NamedToken | undefined
  /** Makes a token, returned nowhere else. Rejects with RuntimeError `invalid-input`, and `exists` for a name that is taken. */
  make(draft: TokenDraft, by: string): Promise<MadeToken>
  /**
   * Moves the end of a token that has one; `expires` as in a draft. One that is gone stays gone. Not in the audit, since it gives
   * nobody anything that the token did not: for a token whose making said that it is renewed.
   */
  renew(hash: string, expires: string): Promise<void>
  /** From here on nobody gets in with it. Rejects with RuntimeError `not-found`. */
  revoke(name: string, by: string): Promise<NamedToken>
}

/** A new token: the only moment at which it is known. */
export interface MadeToken extends NamedToken {
  readonly token: string
}

interface NamedTokensOptions extends RowPlace {
  readonly random: (bytes: number) => Uint8Array
  /** Those who can have tokens beside the owner; those of the home unless given. */
  readonly people?: Pick<People, 'find' | 'ready'>
}

/** Opens the named tokens of a home. Other processes may change them at the same time. */
export function openNamedTokens({ random, people: given, ...place }: NamedTokensOptions): NamedTokens {
  const { clock } = place
  const people = given ?? openPeople(place)
  const rows = openRows<NamedToken>(place, { file: 'tokens.json', row })
  const changed = (by: string, reason: string) => ({ kind: 'change', rule: 'data/tokens.json', by, reason }) as const

  let index: { readonly rows: readonly NamedToken[]; readonly byHash: ReadonlyMap<string, NamedToken> } | undefined
  /** A look-up by digest says nothing of the tokens by its time: who cannot choose the digest learns nothing from it. */
  const byHash = (all: readonly NamedToken[]) => {
    if (index?.rows !== all) index = { rows: all, byHash: new Map(all.map((each) => [each.hash, each])) }
    return index.byHash
  }

  return {
    ready: rows.ready,
    ...defined({ refresh: rows.refresh }),
    list: () => rows.current(),
    find: (hash) => byHash(readable(rows.current)).get(hash),
    async make({ name, scope, expires, person, invites }, by) {
      if (!NAME.test(name)) throw badName(name)
      if (person !== undefined) {
        await people.ready
        if (!isThere(people.find(person))) throw personNotFound(person)
        if (scope === 'admin') throw notForPeople()
      }
      const until = expires === undefined ? undefined : tokenExpiry(expires, clock.now())
      const token = Buffer.from(random(32)).toString('base64url')
      const made = clock.time()
      const kept = { name, scope, hash: sha256(token), made, ...defined({ expires: until, person, invites }) }
      await rows.edit(
        (all) => {
          if (all.some((each) => each.name.toLowerCase() === name.toLowerCase()))
            throw new RuntimeError(
              'exists',
              `There is a token ${name} already.`,
              { name },
              { hint: `Choose another name, or revoke it with \`foreword token revoke ${name}\`.` },
            )
          return [...all, kept]
        },
        changed(
          by,
          `token ${name} made: ${scope}, ${until === undefined ? 'never expires' : `expires ${until}`}` +
            (person === undefined ? '' : `, of ${person}`),
        ),
      )
      return { ...kept, token }
    },
    async renew(hash, expires) {
      const until = tokenExpiry(expires, clock.now())
      await rows.edit((all) =>
        all.map((each) => (each.hash === hash && each.expires !== undefined ? { ...each, expires: until } : each)),
      )
    },
    async revoke(name, by) {
      let found: NamedToken | undefined
      await rows.edit(
        (all) => {
          found = all.find((each) => each.name === name)
          if (found === undefined)
            throw new RuntimeError(
              'not-found',
              `There is no token ${JSON.stringify(name.slice(0, 100))}.`,
              { name },
              { hint: 'List the tokens with `foreword token list`.' },
            )
          return all.filter((each) => each.name !== name)
        },
        changed(by, `token ${name} revoked`),
      )
      return found!
    },
  }
}

/** The id of a token itself: it stays for as long as the token, says nothing of it, and no other token has it. */
export function tokenId({ hash }: Pick<NamedToken, 'hash'>): string {
  return sha256(`token ${hash}`).slice(0, 32)
}

/** Whether a token is over at this time, ms. */
export function isExpired({ expires }: Pick<NamedToken, 'expires'>, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now
}

/** A named token for a list: without its hash, and with when it was last used. */
export interface ListedToken extends Omit<NamedToken, 'hash'> {
  /** ISO 8601, to the minute; absent: never. */
  readonly used?: string | undefined
  readonly isExpired: boolean
}

/** Tokens for a list. `uses` is by name; a use before a token was made is that of another one. */
export function listedTokens(
  tokens: readonly NamedToken[],
  uses: Readonly<Record<string, string>>,
  now: number,
): readonly ListedToken[] {
  return tokens.map((token) => {
    const used = uses[token.name]
    return {
      name: token.name,
      scope: token.scope,
      made: token.made,
      ...defined({
        person: token.person,
        invites: token.invites,
        expires: token.expires,
        used: used !== undefined && used >= token.made ? used : undefined,
      }),
      isExpired: isExpired(token, now),
    }
  })
}

/** Such as `laptop` or `ci.build-2`. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

function badName(name: string): RuntimeError {
  return new RuntimeError(
    'invalid-input',
    `${JSON.stringify(name.slice(0, 100))} cannot be the name of a token.`,
    {},
    { hint: 'Use 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or a digit.' },
  )
}

function notForPeople(): RuntimeError {
  const hint = 'Use approve, talk or read.'
  return new RuntimeError('invalid-input', 'A token of a person cannot have the scope admin.', {}, { hint })
}

/** ISO 8601: after a span such as `12h` or `30d`, at a time, or at the end of a local date. Throws RuntimeError `invalid-input`. */
export function tokenExpiry(text: string, now: number): string {
  const time = expiryTime(text.trim(), now)
  if (Number.isNaN(time) || time > LATEST) {
    throw new RuntimeError(
      'invalid-input',
      `${JSON.stringify(text.slice(0, 100))} is not a time at which a token can expire.`,
      {},
      { hint },
    )
  }
  if (time <= now) throw new RuntimeError('invalid-input', `${text} is over already.`, {}, { hint })
  return new Date(time).toISOString()
}

const hint = 'Write a span such as 12h, 30d or 8w, or a date such as 2030-01-31.'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const spans: Readonly<Record<string, number>> = { m: HOUR / 60, h: HOUR, d: DAY, w: 7 * DAY }

/** The end of the year 9999: later years have another form. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Stricter than `Date`, which accepts much that is no time. */
function expiryTime(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (unit !== undefined) return now + Number(count) * spans[unit]!
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year !== undefined) return endOfDay(Number(year), Number(month), Number(day))
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}

/** `NaN` for a day that no month has. */
function endOfDay(year: number, month: number, day: number): number {
  const begin = new Date(year, month - 1, day)
  if (begin.getMonth() !== month - 1 || begin.getDate() !== day) return Number.NaN
  return new Date(year, month - 1, day + 1).getTime() - 1_000
}

/** Everything that opens a gateway: the token of its owner, named tokens, and browsers that have brought one. */
export interface GatewayTokens {
  readonly owner: TokenStore
  readonly people: People
  readonly named: NamedTokens
  readonly browsers: BrowserSessions
  readonly uses: TokenUses
  /** Resolves when its lists can be asked. */
  readonly ready: Promise<void>
  close(): void
}

interface GatewayTokensOptions extends RowPlace {
  readonly configured?: string | undefined
  readonly random: (bytes: number) => Uint8Array
}

export function openGatewayTokens({ configured, random, ...place }: GatewayTokensOptions): GatewayTokens {
  const people = openPeople(place)
  const named = openNamedTokens({ ...place, random, people })
  const browsers = openBrowserSessions({ place, random, clock: place.clock })
  const lists = [people, named, browsers]
  let isReading = false
  async function readAgain(): Promise<void> {
    if (isReading) return
    isReading = true
    for (const { refresh } of lists) await refresh?.()
    isReading = false
  }
  const stop = place.store.gateways && place.clock.every(READ_MS, () => void readAgain(), { idle: true })
  return {
    owner: tokenStore({ home: place.home, configured, random }),
    people,
    named,
    browsers,
    uses: openTokenUses(place),
    // What cannot be read lets nobody in, and says so where it is listed.
    ready: settled(lists.map(({ ready }) => ready)),
    close: () => stop?.(),
  }
}

/** How often the lists in a database are read again, ms. */
const READ_MS = 1_000

async function settled(all: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(all)
}
