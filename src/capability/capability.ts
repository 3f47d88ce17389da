import type { Terminal } from '@earendil-works/pi-tui'
import type { z } from 'zod'
import type { Layer, Layout } from '../context.ts'
import type { Provider } from '../model.ts'
import type { EmbedderKind } from '../search.ts'
import type { Tool } from '../tool.ts'
import type { Channel } from './channel.ts'
import type { Check, LintPart } from './check.ts'
import type { CapabilityHost, CapabilityPlaces } from './host.ts'
import type { McpPart } from './mcp.ts'
import type { RawEndpoint } from './raw-endpoint.ts'
import type { ErrorFormat, Route } from './route.ts'
import type { WithheldTool } from './runtime/runtime.ts'
import type { SessionChoice } from './session-choice.ts'
import type { LayerContext, PromptBlock, TurnPart, TurnQuestion } from './turn-part.ts'

/**
 * One feature as one value (DESIGN §2). Every member but `name` is optional. What a built-in capability can do, one of
 * somebody else can do; leaving one out of the list leaves out its routes, commands, keys, tools and checks.
 *
 * What stands above `start` is known before any home is open, and so are `sessions.choices`, `http.errors` and the
 * definitions of `mcp`: from it come the help, the configuration schema and the doctor. It has to be cheap to load, so code that
 * does the work is imported when it is called. The rest works on an open home; each member is handed `self`: the host, the
 * settings and what `start` returned.
 *
 * `Settings`: what `settings.schema` parses to. `Service`: what `start` resolves to; others reach it by
 * `host.capability(key)`.
 */
export interface Capability<Settings = undefined, Service = undefined> {
  /** Unique. Also the name of its section in `config.json`, if `settings.key` is not set. */
  readonly name: string
  readonly summary?: string
  readonly settings?: SettingsPart<Settings>
  readonly home?: HomePart<Settings>
  /** By name, loaded when called. */
  readonly commands?: Readonly<Record<string, () => Promise<Command>>>
  /** Commands of a conversation in the terminal and in channels, by name, without the slash. */
  readonly slashCommands?: Readonly<Record<string, SlashCommand>>
  /** Lines that a terminal shows below what it shows anyway. */
  readonly notices?: {
    /** Below a successful call of a tool, such as how a person confirms what it has proposed. */
    readonly tool?: (tool: string, output: string) => readonly string[]
    /** Below a new code of `foreword pair`, such as how a group sends it. */
    readonly pairing?: (code: string) => readonly string[]
  }
  /** What `foreword doctor` looks at. Changes nothing. */
  readonly checks?: Check<Settings>
  /** What it adds to the reports about recorded calls. */
  readonly reports?: {
    /** What `foreword costs` can divide by beside the host's: the name of a group, and the tool whose calls name its keys (`name`). */
    readonly costGroups?: Readonly<Record<string, string>>
    /** What `foreword check --lint` looks at beside the host: texts that it puts into prompts and that nobody reads. */
    readonly lint?: LintPart<Settings>
  }
  /** The models that it connects. */
  readonly models?: {
    readonly providers?: readonly Provider[]
    /** Kinds of embedding models, chosen by their names with the configuration key `search.embedding.kind`. */
    readonly embedders?: readonly EmbedderKind[]
  }
  readonly layouts?: readonly Layout[]

  /** Opens what the capability works with. A throw keeps the gateway from starting: what can be done without is a warning. */
  start?(host: CapabilityHost<Settings>): Service | Promise<Service>
  stop?(self: Self<Settings, Service>): void | Promise<void>
  readonly lifecycle?: Lifecycle<Settings, Service>
  readonly status?: StatusPart<Settings, Service>
  readonly sessions?: SessionsPart<Settings, Service>

  /** Asked for every call, in the order of the capabilities. A throw ends the turn: nothing is left out unseen. */
  layers?(self: Self<Settings, Service>, context: LayerContext): readonly Layer[] | Promise<readonly Layer[]>
  /** The texts for `{{date}}` and other placeholders of prompts, by name. */
  placeholders?(self: Self<Settings, Service>, context: LayerContext): Readonly<Record<string, string>>
  /**
   * The same tools in the same order until the next `reload`, or until one that is withheld is accepted (`pins`). Those that `turn` may
   * give are among them with `offeredIn`, and only listed.
   */
  tools?(self: Self<Settings, Service>): readonly Tool[]
  /** Prompt blocks with tools of their own, for layouts that show them as such. As stable as `tools`. */
  promptBlocks?(self: Self<Settings, Service>): readonly PromptBlock[]
  /** What it gives one turn, decided once before its first step. */
  turn?(self: Self<Settings, Service>, question: TurnQuestion): TurnPart | Promise<TurnPart>
  /** What others wrote and counts only as a person has accepted it. */
  pins?(self: Self<Settings, Service>): readonly Pin[]

  readonly http?: HttpPart<Settings, Service>
  readonly mcp?: McpPart<Self<Settings, Service>>
  readonly channels?: (self: Self<Settings, Service>) => readonly Channel[] | Promise<readonly Channel[]>
}

/** What the members of a started capability are handed. */
export interface Self<Settings = undefined, Service = undefined> extends CapabilityHost<Settings> {
  /** What `start` returned; `undefined` where there is no `start`. */
  readonly service: Service
}

/** A capability with any settings and service, for lists. */
export type AnyCapability = Capability<any, any> // oxlint-disable-line typescript/no-explicit-any -- a list erases both

/** Checks a capability's types and infers its settings and its service; returns the value unchanged. */
export function capability<Settings = undefined, Service = undefined>(
  value: Capability<Settings, Service>,
): Capability<Settings, Service> {
  return value
}

/** What may be configured. */
export interface SettingsPart<Settings> {
  /** `config.json`, the environment, the JSON Schema, `config set` and the doctor follow from it. */
  readonly schema: z.ZodType<Settings>
  /** Dotted path of its section, such as `channels.telegram`. Default: the name of the capability. */
  readonly key?: string
  /** What is odd about settings that the schema accepts, such as a value without effect. Reported at the start and by the doctor. */
  readonly warnings?: (settings: Settings, context: SettingsContext) => readonly SettingsWarning[]
  /**
   * The settings in the home of a person, which lies in the home that these are of: without the owner's own folders and access.
   * Absent: the same, and a capability with `home.folders` is left out there.
   */
  readonly ofPerson?: (settings: Settings, home: string) => Settings
}

interface SettingsContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** As configured. */
  readonly layout: Layout
}

/** Something odd about settings: the gateway starts, and yet it cannot be what was meant. Never repeats a secret. */
export interface SettingsWarning {
  /** Below the section of the capability, such as `allowHosts`. Empty for the section itself. */
  readonly key: string
  /** What is wrong, behind the name of the key. */
  readonly message: string
  readonly hint: string
}

/** What it has in a home, and runs there. */
export interface HomePart<Settings> {
  /**
   * Places of this capability that tools on files must keep away from: absolute paths. `outOfReach`: not read, not written.
   * `readOnly`: files of the owner, never written. `readable`: folders outside the workspace that may be read. `programs`:
   * folders that programs in the sandbox may read although tools on files may not.
   */
  readonly places?: (settings: Settings, home: string) => CapabilityPlaces
  /** Folders of the owner's own files that its settings name: absolute paths. A backup reports those outside the home. */
  readonly folders?: (settings: Settings) => readonly string[]
  /** Search indexes that it keeps in the folder for data. A backup copies them, and `foreword compact` shrinks them. */
  readonly indexes?: readonly IndexFile[]
  /** What it runs that no sandbox confines, as clauses such as `the MCP server files runs without a sandbox`. */
  readonly unconfined?: (settings: Settings) => readonly string[]
}

/** A search index in the folder for data, which can be deleted: its capability builds it again. */
export interface IndexFile {
  /** Name of the file, such as `search.sqlite`. */
  readonly file: string
  readonly title: string
}

/** What happens between `start` and `stop`. */
export interface Lifecycle<Settings, Service> {
  /** Resolves when what is started late is there, or was waited for long enough. Asked before each turn. Never rejects. */
  ready?(self: Self<Settings, Service>): Promise<void>
  /** Resumes what a former process left unfinished. Only where the gateway may write. */
  recover?(self: Self<Settings, Service>): Promise<void>
  /** Reads again what `start` read. Called between turns. */
  reload?(self: Self<Settings, Service>): void | Promise<void>
  /**
   * What it has to do by itself: settles when that is over, or when it is worth a new look. `undefined`: nothing, for it waits for a
   * person or a time at most. `session`: of interest is only what concerns that session.
   */
  idle?(self: Self<Settings, Service>, session?: string): Promise<unknown> | undefined
}

/** How it is, for people and programs. */
export interface StatusPart<Settings, Service> {
  /** What is wrong now, in sentences that name the place. */
  warnings?(self: Self<Settings, Service>): readonly string[]
  /** For `GET /api/status`, by key. */
  facts?(self: Self<Settings, Service>): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
  /** What `foreword start` shows of it: a label of at most eight letters and a line. */
  startLine?(self: Self<Settings, Service>): StartLine | undefined | Promise<StartLine | undefined>
}

export interface StartLine {
  readonly label: string
  readonly text: string
}

/** What sessions can choose of it, and what it does with them. */
export interface SessionsPart<Settings, Service> {
  /** By the name of the choice: log entry, PATCH, `--NAME`, `/NAME` and preview follow from it. */
  readonly choices?: Readonly<Record<string, SessionChoice<Self<Settings, Service>>>>
  /** A session was made. Returns at once. */
  started?(self: Self<Settings, Service>, session: string): void
  /** A session is about to be deleted: what belongs to it goes first. */
  deleted?(self: Self<Settings, Service>, session: string): Promise<void>
  /**
   * Of the sessions of one conversation, `session` first and then the earlier ones, those whose words a model may be given
   * there. All of them unless given. Asked before a model searches the history.
   */
  conversation?(
    self: Self<Settings, Service>,
    session: string,
    sessions: readonly string[],
  ): readonly string[] | Promise<readonly string[]>
}

/** Definitions of tools, or a file that a model reads as instructions: what has changed waits until a person accepts it. */
export interface Pin {
  /** What is not the accepted one: not offered until the owner accepts. */
  withheld(): readonly WithheldTool[]
  /** Accepts the definition with this digest. Returns false where no tool of that name and digest is withheld. */
  accept(tool: string, digest: string): Promise<boolean>
  /** What waits, in sentences. */
  warnings?(): readonly string[]
}

/** What a server answers for it. */
export interface HttpPart<Settings, Service> {
  routes?(self: Self<Settings, Service>): readonly Route[] | Promise<readonly Route[]>
  /** Endpoints that answer on the socket, with raw headers and bytes. */
  raw?(self: Self<Settings, Service>): readonly RawEndpoint[] | Promise<readonly RawEndpoint[]>
  /** Failures below a path of its routes, where they have a shape of their own. */
  readonly errors?: readonly ErrorFormat[]
}

/** Where a command stands in the help. */
export type CommandGroup = 'talk' | 'look' | 'money' | 'set-up' | 'keep'

/** One command: its arguments, its help and its function. */
export interface Command {
  readonly name: string
  readonly summary: string
  /** Under a heading of its own, `Others`, where absent. */
  readonly group?: CommandGroup
  /** What has its place, such as `calls diff`. It still runs, and is not listed. */
  readonly movedTo?: string
  /** Each form of its usage, without the word `foreword`. */
  readonly usage: readonly string[]
  readonly details?: string
  /** How many words may follow the command. */
  readonly words: { readonly least: number; readonly most: number }
  readonly options: Readonly<Record<string, CommandOption>>
  /** Returns the exit code. Throws `CommandFailure` where it cannot do what was asked. */
  readonly run: (call: CommandCall, io: Io) => Promise<number>
}

export type ListedCommand = Pick<Command, 'summary' | 'group' | 'movedTo'>

export interface CommandOption {
  readonly summary: string
  /** Name of the value in help. Without it the option is a switch. */
  readonly value?: string
  /** An empty value says something, such as that there is none. */
  readonly mayBeEmpty?: true
}

/** A parsed command line. */
export interface CommandCall {
  readonly words: readonly string[]
  /** The home of this run, an absolute path. */
  readonly home: string
  readonly json: boolean
  /** The last value of an option. */
  readonly text: (option: string) => string | undefined
  /** Every value of an option that may be repeated. */
  readonly texts: (option: string) => readonly string[]
  readonly has: (option: string) => boolean
}

/** The process as the command line sees it: everything that it reads and writes comes through here, so that tests need no process. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What the commands, options, slash commands and checks of this command line come from, beside its own. */
  readonly capabilities?: readonly AnyCapability[]
  /** What is known of `capabilities` while they are not loaded. A command that needs more of them loads them. */
  readonly overview?: CapabilityOverview
  /** Of `capabilities` those of the program, without those that the home adds. Default: all of them. */
  readonly programCapabilities?: readonly AnyCapability[]
  /** The gateway that commands use. By default, they look for it in the home. */
  readonly connect?: (home: string) => Promise<GatewayConnection>
  /** Calls `listener` for Ctrl-C and for a request to end; returns a function that stops listening. Default: the signals of the process. */
  readonly onInterrupt?: (listener: (signal?: NodeJS.Signals) => void) => () => void
  /** How long to wait for the first bytes of a pipe, ms. Default: 2,000. */
  readonly firstInputMs?: number
  /** The terminal in which `chat` draws its editor. Default: that of the process. */
  readonly terminal?: Terminal
  /** Exits at once. Default: exits the process. */
  readonly exit?: (code: number) => void
}

/** What the help and the options of commands need of the capabilities of a program, so that they need not be loaded for it. */
export interface CapabilityOverview {
  /** Every command by its name, in the order of the help. */
  readonly commands: Readonly<Record<string, ListedCommand>>
  /** What a session can choose. */
  readonly choices: Readonly<Record<string, Pick<SessionChoice<never>, 'summary' | 'none' | 'several'>>>
  readonly load: () => Promise<readonly AnyCapability[]>
}

export type Output = NodeJS.WritableStream & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** A connection to the HTTP API: over the network to a running gateway, or to one inside this process that opens no port. */
export interface GatewayConnection {
  /** `path` begins with a slash. The token is added here. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
  /** Its gateway ends with this process: a call that waits for a person ends with it. */
  readonly inProcess: boolean
}

/** A command of a conversation, such as `/tools`. */
export interface SlashCommand {
  /** What may follow it, for help: `[ID]`. */
  readonly argument?: string
  readonly summary: string
  /**
   * It only shows something, whatever follows it (`always`) or where nothing does (`alone`): then it can be used while a turn
   * runs.
   */
  readonly shows?: 'always' | 'alone'
  /** What it returns with an argument is a message to send. Such a command is offered in the terminal alone. */
  readonly sends?: true
  /** Returns what is printed, over the HTTP API. Throws a `ForewordError` where it cannot be done. */
  run(call: SlashCommandCall): Promise<string | undefined>
}

export interface SlashCommandCall {
  /** What followed the command; empty where nothing did. */
  readonly argument: string
  /** `undefined` before the first message. */
  readonly session: string | undefined
  /** Calls the HTTP API of the gateway. A refusal is a `ForewordError` with its code. */
  ask<Answer>(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Answer>
}
