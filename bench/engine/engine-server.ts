import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is used of a sequence of node-llama-cpp: a cache with one conversation, as a slot of llama.cpp. */
export interface Sequence {
  /** How many tokens are in the cache. */
  readonly nextTokenIndex: number
  readonly tokenMeter: { readonly usedInputTokens: number }
  /** Keeps what is the same from the beginning on, and drops the rest. */
  adaptStateToTokens(tokens: readonly number[], allowShift: boolean): Promise<void>
  evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>
}

export interface EngineOptions {
  /** One for each model: an engine with room for both keeps both. */
  readonly sequenceOf: (model: string) => Sequence
  readonly tokenize: (text: string) => readonly number[]
  /** What it says instead of the noise of its weights. The tokens are evaluated as if it had made them. */
  readonly answer: (call: number) => Answer
}

type Answer = { readonly text: string } | { readonly tool: string; readonly input: object }

interface Body {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content?: unknown
    readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[]
    readonly tool_call_id?: string
  }[]
  readonly tools?: unknown
}

export interface Engine {
  readonly port: number
  /** Prompt tokens that the engine has computed, call by call. */
  readonly evaluated: readonly number[]
  close(): void
}

/** A server as that of llama.cpp, with one slot for each model, before a real engine: its usage is what the engine evaluated. */
export async function engineServer({ sequenceOf, tokenize, answer }: EngineOptions): Promise<Engine> {
  const evaluated: number[] = []
  let turn: Promise<unknown> = Promise.resolve()

  /** One prompt at a time. */
  const evaluate = (body: Body) => {
    const result = turn.then(async () => {
      const sequence = sequenceOf(body.model)
      const said = answer(evaluated.length)
      const tokens = tokenize(promptOf(body))
      await sequence.adaptStateToTokens(tokens, false)
      // An engine computes the last token in any case: from it comes the first one of the answer.
      const cached = Math.min(sequence.nextTokenIndex, tokens.length - 1)
      if (cached < sequence.nextTokenIndex) await sequence.adaptStateToTokens(tokens.slice(0, cached), false)
      const before = sequence.tokenMeter.usedInputTokens
      await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(cached))
      const computed = sequence.tokenMeter.usedInputTokens - before
      evaluated.push(computed)
      const output = tokenize('text' in said ? said.text : toolCall(said.tool, JSON.stringify(said.input)))
      await sequence.evaluateWithoutGeneratingNewTokens(output)
      return { said, prompt: tokens.length, computed, output: output.length }
    })
    turn = result.catch(() => {})
    return result
  }

  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') {
        response.writeHead(404).end()
        return
      }
      const { said, prompt, computed, output } = await evaluate((await jsonOf(request)) as Body)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (event: object) =>
        response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...event })}\n\n`)
      const call = `call_${evaluated.length}`
      const delta =
        'text' in said
          ? { content: said.text }
          : {
              tool_calls: [
                {
                  index: 0,
                  id: call,
                  type: 'function',
                  function: { name: said.tool, arguments: JSON.stringify(said.input) },
                },
              ],
            }
      send({ choices: [{ index: 0, delta: { role: 'assistant', ...delta } }] })
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'text' in said ? 'stop' : 'tool_calls' }] })
      send({
        choices: [],
        usage: {
          prompt_tokens: prompt,
          completion_tokens: output,
          total_tokens: prompt + output,
          prompt_tokens_details: { cached_tokens: prompt - computed },
        },
      })
      response.end('data: [DONE]\n\n')
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    evaluated,
    close: () => server.close(),
  }
}

/** As templates for ChatML write it, with the tools before the system message. */
function promptOf({ messages, tools }: Body): string {
  const said = messages.map(({ role, content, tool_calls: calls = [] }) => {
    const text = typeof content === 'string' ? content : content ? JSON.stringify(content) : ''
    const asked = calls.map(({ function: { name, arguments: input } }) => toolCall(name, input)).join('\n')
    return `<|im_start|>${role}\n${text}${asked}<|im_end|>\n`
  })
  return `${tools === undefined ? '' : `${JSON.stringify(tools)}\n`}${said.join('')}<|im_start|>assistant\n`
}

/** As a model writes it. `input` is JSON. */
function toolCall(name: string, input: string): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${input}}\n</tool_call>`
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}
