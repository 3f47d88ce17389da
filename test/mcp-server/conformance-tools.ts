import { setTimeout } from 'node:timers/promises'
import {
  type CallToolResult,
  type ContentBlock,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type InputRequests,
  MissingRequiredClientCapabilityError,
} from '@modelcontextprotocol/server'
import type { McpCall, McpTool } from '../../src/capability.ts'
import { failureEnvelope } from '../../src/server/mcp/envelope.ts'

/** One dot. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

type Answer = CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>

/** The tools that the conformance suite asks every server for by name. */
export const conformanceTools: readonly McpTool[] = [
  tool('test_simple_text', () => said('This is a simple text response for testing.')),
  tool('test_image_content', () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })),
  tool('test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })),
  tool('test_embedded_resource', () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  })),
  tool('test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', () =>
    failureEnvelope('internal', 'This tool intentionally returns an error for testing'),
  ),
  tool('test_tool_with_logging', async ({ context: { mcpReq } }) => {
    for (const text of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', text)
      await setTimeout(50)
    }
    return said('Done.')
  }),
  tool('test_logging_tool', async ({ context: { mcpReq } }) => {
    await mcpReq.log('info', 'Somebody listens.')
    return said('Done.')
  }),
  tool('test_tool_with_progress', async (call) => {
    for (const done of [0, 50, 100]) {
      await call.progress(done, 100, `${done} of 100`)
      await setTimeout(50)
    }
    return said('Done.')
  }),
  tool('test_sampling', async ({ context: { mcpReq } }, { prompt }) => {
    const result = await mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
      maxTokens: 100,
    })
    return said(`LLM response: ${JSON.stringify(result.content)}`)
  }),
  tool('test_elicitation', (call, { message }) =>
    elicited(call, String(message), {
      type: 'object',
      properties: { username: { type: 'string' }, email: { type: 'string' } },
      required: ['username', 'email'],
    }),
  ),
  tool('test_elicitation_sep1034_defaults', (call) =>
    elicited(call, 'Please check what is filled in.', {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  ),
  tool('test_elicitation_sep1330_enums', (call) =>
    elicited(call, 'Please choose.', {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: choices('value', 'Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: choices('value', 'Choice') } },
      },
    }),
  ),
  tool('test_missing_capability', (call) => {
    if (capabilitiesOf(call)?.sampling === undefined) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
    return said('Done.')
  }),
  tool('test_streaming_elicitation', (call) => rounds(call, { user_name: nameQuestion }, () => said('Done.'))),
  tool('test_input_required_result_elicitation', (call) =>
    rounds(call, { user_name: nameQuestion }, () => said('Hello!')),
  ),
  tool('test_input_required_result_sampling', (call) =>
    rounds(call, { capital_question: sampling('What is the capital of France?') }, () => said('So it is.')),
  ),
  tool('test_input_required_result_list_roots', (call) =>
    rounds(call, { client_roots: inputRequired.listRoots() }, () => said('These roots.')),
  ),
  tool('test_input_required_result_request_state', (call) =>
    rounds(call, { confirm: confirmQuestion }, () => said('state-ok'), 'asked'),
  ),
  tool('test_input_required_result_tampered_state', (call) =>
    rounds(call, { confirm: confirmQuestion }, () => said('state-ok'), 'asked'),
  ),
  tool('test_input_required_result_multiple_inputs', (call) =>
    rounds(
      call,
      {
        user_name: nameQuestion,
        greeting: sampling('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      () => said('All of it.'),
      'asked',
    ),
  ),
  tool('test_input_required_result_multi_round', async (call) => {
    if (call.sealed() === 'second') return said('Both steps are done.')
    if (call.sealed() === 'first')
      return asking(call, { step2: question('Step 2: What is your color?', 'color') }, 'second')
    return asking(call, { step1: question('Step 1: What is your name?', 'name') }, 'first')
  }),
  tool('test_input_required_result_capabilities', (call) => {
    const { sampling: samples, elicitation } = capabilitiesOf(call) ?? {}
    return rounds(
      call,
      {
        ...(samples === undefined ? {} : { greeting: sampling('Generate a greeting') }),
        ...(elicitation === undefined ? {} : { user_name: nameQuestion }),
      },
      () => said('Done.'),
    )
  }),
  {
    ...tool('json_schema_2020_12_tool', () => said('Done.')),
    definition: {
      name: 'json_schema_2020_12_tool',
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // oxlint-disable-next-line unicorn/no-thenable
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
  },
]

export const nameQuestion = question('What is your name?', 'name')
const confirmQuestion = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})

export function question(message: string, field: string) {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
}

function tool(name: string, call: (call: McpCall, input: Readonly<Record<string, unknown>>) => Answer): McpTool {
  return {
    definition: { name, description: `${name}, for the conformance suite`, inputSchema: { type: 'object' } },
    call: async (input, made) => call(made, input),
  }
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}

function resource(uri: string, mimeType: string, text: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text } }
}

function sampling(text: string) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 })
}

function choices(value: string, title: string) {
  return ['First', 'Second', 'Third'].map((word, at) => ({ const: `${value}${at + 1}`, title: `${word} ${title}` }))
}

async function elicited(
  { context: { mcpReq } }: McpCall,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
): Promise<CallToolResult> {
  const { action, content } = await mcpReq.elicitInput({ message, requestedSchema })
  return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
}

/** Asks until every question has an answer. */
async function rounds(call: McpCall, requests: InputRequests, done: () => CallToolResult, state?: string) {
  const { inputResponses } = call.context.mcpReq
  const answered = Object.keys(requests).every((key) => inputResponse(inputResponses, key).kind !== 'missing')
  return answered && call.sealed() === state && Object.keys(requests).length > 0
    ? done()
    : asking(call, requests, state)
}

async function asking(call: McpCall, inputRequests: InputRequests, state?: string): Promise<InputRequiredResult> {
  return inputRequired({ inputRequests, ...(state === undefined ? {} : { requestState: await call.seal(state) }) })
}

function capabilitiesOf({ context: { mcpReq } }: McpCall): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
}
