import type { Origin } from '../../context.ts'
import type { ForeignKind } from '../foreign-call.ts'
import type { ForeignFinding } from '../foreign-finding.ts'

/** What is known of one client: data, so that a new version of it is a new row and no new code. */
export interface Recogniser {
  /** The name of the client in accounts; absent in the general table. */
  readonly client?: string
  /** How it names itself: any of them is enough. */
  readonly signs: readonly ClientSign[]
  /** Where its ids are, the best first. */
  readonly session?: readonly ValuePlace[]
  readonly parent?: readonly ValuePlace[]
  readonly turn?: readonly ValuePlace[]
  /** The id of an agent within the session: calls that have one are a session of their own. */
  readonly agent?: readonly ValuePlace[]
  /** The first rule that holds names the kind. */
  readonly kinds?: readonly KindRule[]
  /** Parts of texts that are something of their own. */
  readonly sections: readonly SectionRule[]
  /** What to do in it about a finding; `{name}` is the tool or the server. */
  readonly remedies?: Readonly<Partial<Record<ForeignFinding['code'], string>>>
}

/** A sign of a client: a header, or words of its system prompt. */
export type ClientSign =
  /** The group `version` of the pattern is its version. */
  { readonly header: string; readonly pattern: RegExp } | { readonly prompt: string }

/** Where a value is: a header, a path in the body, or what is said in it. */
export interface ValuePlace {
  readonly header?: string
  /** In the system text, where the pattern finds it. */
  readonly said?: 'system'
  /** Keys from the outside in. */
  readonly body?: readonly string[]
  /** What is there is the JSON of an object, and the value is in this field of it. */
  readonly json?: string
  /** The group `value` of this pattern is the value. */
  readonly pattern?: RegExp
}

/** When a call is of a kind. Every condition that is given has to hold. */
export interface KindRule {
  readonly kind: ForeignKind
  readonly at?: ValuePlace
  /** For the value at `at`; any value unless given. */
  readonly value?: RegExp
  /** The path of the request ends so. */
  readonly path?: string
  /** The system text has any of these. */
  readonly system?: readonly string[]
  /** The last text of the user has any of these. */
  readonly last?: readonly string[]
  /** The answer may have so many tokens at most. */
  readonly mostTokens?: number
  readonly withoutTools?: true
  /** A schema for the answer asks for this key alone. */
  readonly answers?: string
}

/** A part of a text that is something of its own. */
export interface SectionRule {
  readonly layer: string
  /** It begins with this, at the beginning of a line. */
  readonly begin: string
  /** It ends with this; where the next section begins, unless given. */
  readonly end?: string
  /** It has this within its first 4,000 characters. */
  readonly holds?: string
  readonly firstLine?: RegExp
  /** Without a name of its own it belongs to the section of its layer before it. */
  readonly continues?: true
  /** It is the whole text, or nothing: what is found inside of other words is not meant. */
  readonly whole?: true
  /** The group `name` is what people call it, such as a path. Looked for in the first 1,000 characters. */
  readonly name?: RegExp
  /** That of its layer unless given. */
  readonly origin?: Origin['kind']
  /** Texts in which it is looked for; all but results of tools unless given. */
  readonly where?: readonly TextPlace[]
  /** Sections within it, such as the files of a list. */
  readonly inner?: readonly SectionRule[]
}

export function tag(name: string): Pick<SectionRule, 'begin'> & { readonly end: string } {
  return { begin: `<${name}>`, end: `</${name}>` }
}

export const wholeMessage = { whole: true, where: ['user'] } as const satisfies Partial<SectionRule>

export type TextPlace = 'system' | 'user' | 'assistant' | 'result'
