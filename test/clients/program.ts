import type { ScriptedAnswer, ScriptedRequest } from '../../src/testing.ts'

/** A program of others that starts `foreword mcp`, and how it is run without a person and without the internet. */
export interface Program {
  readonly title: string
  readonly package: string
  /** CLIENT of `foreword mcp config`. */
  readonly client: string
  /** The file that the printed settings belong into, from the folder of the run. */
  readonly settings: (printed: string, modelUrl: string) => { readonly path: string; readonly text: string }
  /** What its command is called with to say something. */
  readonly args: (text: string) => readonly string[]
  readonly environment: (modelUrl: string, home: string) => Readonly<Record<string, string>>
  /** A call as its model makes it: one of our tools, or `read` of a resource. */
  readonly call: (name: string, input: object) => Call
  /** Our tools among those of a request. */
  readonly ourTools: (request: ScriptedRequest) => readonly string[]
  /** What tools answered so far, as its model reads it. */
  readonly results: (request: ScriptedRequest) => readonly string[]
  /** What a person types for a prompt of ours; absent where the program has no place for prompts. */
  readonly prompt?: (name: string, argument: string) => string
}

export type Call = NonNullable<ScriptedAnswer['toolCalls']>[number]
