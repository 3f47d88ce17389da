import type { Clock } from '../platform.ts'
import type { LoadableFiles } from './process/loadable-files.ts'
import type { ForeignText, FrameKind, Message, Origin, ToolDefinition } from '../context.ts'

/** What the model can call. A tool with an effect that a person may want to see first has `plan`, the others `execute`. */
export type Tool = ToolProperties & (DirectTool | PlannedTool)

export interface ToolProperties extends ToolDefinition {
  /** May be run again after a crash: a second run changes nothing that the first has not. */
  readonly idempotent?: boolean
  readonly timeoutMs?: number
  /** The most of one result that is put before the model, characters. What is longer is stored whole. */
  readonly maxShownChars?: number
  /** Whose `inputSchema` is, for people: `the MCP server s`. Its checks count against that owner, else against the tool alone. */
  readonly schemaOwner?: string
  /** Where its results come from. `tool` unless given. */
  readonly origin?: Origin['kind']
  /** Its results' frame: text of others, installed instructions, or (`own`) none where it went well. `material` unless given. */
  readonly results?: FrameKind | 'own'
  /** Its calls run programs: what the sandbox keeps in the workspace and from the network may run after texts of others. */
  readonly runsPrograms?: boolean
  /** `ask`: a person decides about every call, unless `tool-access.json` sets something else. */
  readonly approval?: 'ask' | 'never'
  /** Only reads what its session already contains: an allowlist need not name it (docs/guide/tools.md). */
  readonly readsContext?: boolean
  /**
   * `allow`: a call changes nothing but the own records of its session or subject, and sends nothing to an address of the
   * model's choice, so it may be asked for after the model has read texts of others. `ask` unless given: then a person
   * decides about each such call, unless `tool-access.json` sets something else. Tools with `readsContext` are `allow`.
   */
  readonly afterUntrusted?: 'ask' | 'allow'
  /** What a call reads, for people: paths, or addresses for `origin` `web`. A named address needs no question, whatever was read. */
  readsFrom?(input: Readonly<Record<string, unknown>>): readonly string[]
  /** An input that breaks the schema is refused, also where only one reading of it is possible. */
  readonly takesExactInput?: boolean
  /** Normalizes an input before it is validated, for example by leaving out parameters that are `null`. */
  normalizeInput?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** The tool's own message about an invalid object, before the schema is applied; `undefined` leaves it to the schema. */
  inputError?(input: Readonly<Record<string, unknown>>): string | undefined
  /** Offered only while this condition is true. Evaluated once before each turn. Always offered where absent. */
  readonly offeredWhile?: OfferedWhile
  /** `sessions that …`: made for each turn that it is of use in. Elsewhere it is listed, so that the owner can deny it, and its calls fail. */
  readonly offeredIn?: string
}

/** A condition of a tool: where `isSo` resolves to `false`, the model is not offered the tool. */
export interface OfferedWhile {
  /** For people, such as `there is a subject`. */
  readonly what: string
  isSo(): Promise<boolean>
}

export interface DirectTool {
  /** `input` has been checked against `inputSchema`. A throw becomes a failed result that the model reads. */
  execute(input: unknown, context: ToolContext): Promise<ToolResult>
  readonly plan?: undefined
}

export interface PlannedTool {
  /** Says what a call would do, and does nothing of it. `input` fits `inputSchema`. A throw becomes a failed result. */
  plan(input: unknown, context: ToolContext): Promise<ToolPlan | ToolFailed>
  readonly execute?: undefined
}

/** One call, ready to run: what is shown, checked and approved is what runs. Everything but `run` is plain JSON. */
export interface ToolPlan {
  /** Program and arguments, as the system will be given them. */
  readonly argv?: readonly string[]
  /** Text for a shell, as it is. */
  readonly command?: string
  /** Folder that it works in, absolute, links resolved. */
  readonly folder?: string
  /** What it changes in a file, as a unified diff. */
  readonly diff?: string
  /** What else its effect depends on, such as the digest of a file that it replaces. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** A person has to be asked about this call, whatever the policy says of the tool. `facts` say why. */
  readonly asks?: boolean
  /**
   * This call changes nothing, or the workspace alone and without network: what the tool's own `afterUntrusted` says does not
   * hold for it.
   */
  readonly afterUntrusted?: 'allow'
  /** What its program may load from the workspace, as it is now. What changes while a person is asked asks again. */
  loads?(): Promise<LoadableFiles>
  /** Executes the plan, or fails where that is no longer possible. */
  run(context: ToolContext): Promise<ToolResult>
}

/** What a run may know. It gives no access to the configuration, to approvals, or to other sessions. */
export interface ToolContext {
  readonly session: string
  readonly turn: string
  readonly toolCallId: string
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly timeoutMs?: number
  /** Whether a redirect to another host may be followed to an address, which counts as opening it; absent: each may. */
  followsTo?(address: string): boolean
  /** How much of one result the next call has room for; absent where that is unknown. */
  readonly room?: { readonly characters: number; readonly tokens: number }
  /** Messages that the model had in front of it when it called; absent where that is unknown, as after a restart. */
  readonly seen?: readonly Message[]
}

/** Failure is data: the model reads `error` and can recover. */
export type ToolResult = ToolSuccess | ToolFailed

/** The result of a call that succeeded. `output` is what the model reads. */
export interface ToolSuccess {
  readonly ok: true
  readonly output: string
  /**
   * Images, and recordings: for a model that sees or hears them; any other reads their names. PNG, JPEG, GIF, WebP, WAV and MP3,
   * by their bytes, at most 8 of at most 3.75 MiB each: what is beyond that is named in the output.
   */
  readonly images?: readonly ToolImage[]
  readonly meta?: ToolMeta
}

export interface ToolImage {
  readonly bytes: Uint8Array
}

/** The result of a call that failed. The model reads `error`, and `output` where there is one. */
export interface ToolFailed {
  readonly ok: false
  readonly error: string
  readonly output?: string
  readonly meta?: ToolMeta
}

/** Facts of a run for the audit. The model does not read them. */
export interface ToolMeta {
  /** Program and arguments as they ran, where the plan could not know all of them. */
  readonly argv?: readonly string[]
  readonly exitCode?: number
  /** Bytes that the run put out, before anything was cut. */
  readonly bytes?: number
  /** Something of the output was lost: it is not stored either. */
  readonly truncated?: boolean
  readonly [fact: string]: unknown
}

/** A call as the model made it. Input that was not JSON is the string it was. */
export interface ToolCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** Why a call came to nothing although the tool itself never answered. */
type ToolFailure = 'unknown-tool' | 'invalid-input' | 'refused' | 'exception' | 'timeout' | 'cancelled'

/** A failure as the model reads it. `failure`: for programs, why the tool itself never answered. */
export function toolFailure(error: string, failure?: ToolFailure): ToolFailed {
  return { ok: false, error, ...(failure && { meta: { failure } }) }
}

/** What a toolbox decided about one call before anything of it ran. */
export type PlannedCall =
  /** It does not run: an unknown tool, bad input, a refusal, or a plan that cannot be made. */
  | {
      readonly type: 'refused'
      readonly result: ToolResult
      readonly rule: string
      readonly call?: CallDescription
      /** Texts of others that the model had read, where they are the reason. */
      readonly read?: readonly ForeignText[]
    }
  /** It may run now (`allowed`), or after a person has approved it (`ask`). `run` does exactly what `call` describes. Never throws. */
  | {
      readonly type: 'allowed' | 'ask'
      readonly rule: string
      readonly call: CallDescription
      /** SHA-256 of the description. An approval is bound to it. */
      readonly digest: string
      /** Texts of others that the model had read when it asked for the call, for the person who decides. */
      readonly read?: readonly ForeignText[]
      /** It asks only because of these texts: what a person may grant to the tool for the session. */
      readonly grant?: string
      loads?(): Promise<LoadableFiles>
      run(): Promise<ToolResult>
    }

/** A call as a person is shown it. Plain JSON. */
export interface CallDescription extends Omit<ToolPlan, 'run' | 'loads' | 'asks' | 'afterUntrusted'> {
  readonly tool: string
  readonly input: unknown
}
