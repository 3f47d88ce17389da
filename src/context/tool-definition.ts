/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string
  readonly description?: string
  /** A JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether the provider has to keep its calls to the schema, where it can. Its own choice when absent. */
  readonly strict?: boolean
  /** Cost in tokens by the counter of the assembly. Counted when absent. */
  readonly tokens?: number
  /** Its results stay as they are for as long as their turn stays in the history. Not sent. */
  readonly keepsOutput?: boolean
}
