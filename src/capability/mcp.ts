import type {
  CallToolResult,
  CompleteRequestParams,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server'

/** Everything that an MCP server offers, in its order. Both transports serve the same. */
export interface McpCatalogue {
  /** Instructions for a client's model about the server as a whole. */
  readonly instructions: string
  readonly tools: readonly McpTool[]
  readonly resources: McpResources
  readonly prompts: readonly McpPrompt[]
  /** Why a tool is neither listed nor run; `undefined` where it is. Asked for each list and each call. */
  refusal(tool: string): Promise<ToolRefusal | undefined>
  listed?(): void
  refused?(call: McpToolCall, refusal: ToolRefusal): Promise<void>
  /** Declared besides tools, resources, prompts and completions. */
  readonly capabilities?: ServerCapabilities
}

/** Why the owner's settings refuse a tool. */
export interface ToolRefusal {
  /** The setting that decided. */
  readonly rule: string
  readonly reason: string
}

export interface McpToolCall {
  readonly tool: string
  readonly input: unknown
  readonly client: string | undefined
  /** Whose token it came with; absent for a client of the standard input. */
  readonly by?: string | undefined
}

export interface McpTool {
  readonly definition: Tool
  /** Answers every failure as a result. What it throws is only logged. */
  call(input: Readonly<Record<string, unknown>>, call: McpCall): Promise<CallToolResult | InputRequiredResult>
}

/** One call of a tool, in either revision of the protocol. */
export interface McpCall {
  /** The client by its own name, as far as it gave one. */
  readonly client: string | undefined
  /** Whose token it came with, such as `token:NAME`; `undefined` for a client of the standard input. */
  readonly by: string | undefined
  /** Aborted when the client has cancelled the call or has gone. */
  readonly signal: AbortSignal
  /** Reports the progress, where the client asked for it. Never rejects. */
  progress(done: number, total: number, message: string): Promise<void>
  /** How a person can be asked now; `undefined` where the client cannot. */
  readonly person: QuestionMode | undefined
  /** Seals what a later round of this call has to bring back unchanged. */
  seal(content: unknown): Promise<string>
  /** What an earlier round of this call sealed; checked. */
  sealed(): unknown
  readonly context: ServerContext
}

/** `reply`: the answer comes within the call. `round`: it comes with the same call, made once more. */
export type QuestionMode = 'reply' | 'round'

export interface McpResources {
  readonly templates: readonly ResourceTemplateType[]
  /** A page of the list. Throws `ProtocolError` for a cursor that it did not give. */
  list(cursor: string | undefined): Promise<{ readonly resources: Resource[]; readonly nextCursor?: string }>
  /** `undefined`: there is nothing of that address. */
  read(uri: string): Promise<ReadResourceResult | undefined>
  /** Values that begin with what was typed, for a variable of a template. */
  complete(template: string, variable: string, typed: string): Promise<readonly string[]>
}

export interface McpPrompt {
  readonly definition: Prompt
  /** Throws `ProtocolError` where an argument is missing or names nothing. */
  get(values: Readonly<Record<string, string>>, context: ServerContext): Promise<GetPromptResult | InputRequiredResult>
  complete?(argument: CompleteRequestParams['argument']): Promise<readonly string[]>
}

/** What a capability adds to the MCP server. */
export interface McpPart<Self> {
  /** Everything that `open` gives, in the same order. Known before any home is open, so that a client is answered at once. */
  definitions(): McpDefinitions | Promise<McpDefinitions>
  open(self: Self): McpContribution | Promise<McpContribution>
}

export interface McpDefinitions {
  /** Sentences for a client's model about what is added. */
  readonly instructions?: string
  readonly tools?: readonly Tool[]
  readonly templates?: readonly ResourceTemplateType[]
  readonly prompts?: readonly Prompt[]
}

export interface McpContribution {
  readonly tools?: readonly McpTool[]
  readonly resources?: readonly McpResourceSet[]
  readonly prompts?: readonly McpPrompt[]
}

/** Resources of one kind, such as `foreword://subjects/{id}`. */
export interface McpResourceSet {
  readonly templates: readonly ResourceTemplateType[]
  /** All of them, in a fixed order. */
  list(): Promise<readonly Resource[]>
  /** `undefined`: the address is not one of this set, or there is nothing at it. */
  read(uri: string): Promise<ResourceText | undefined>
  complete?(template: string, variable: string): Promise<readonly string[]>
}

/** A text of a resource, before it has its address. */
export interface ResourceText {
  readonly mimeType: string
  readonly text: string
}
