import { inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { McpCatalogue, McpPrompt } from '../../src/capability.ts'
import { conformanceTools, PNG, question } from './conformance-tools.ts'

/**
 * What the conformance suite asks for by name, beside what Foreword offers: its own tools, resources and prompts stay in
 * the lists, so that those are examined too.
 */
export function withConformanceFixtures(own: McpCatalogue): McpCatalogue {
  const { resources, tools, prompts } = own
  return {
    ...own,
    tools: [...tools, ...conformanceTools],
    prompts: [...prompts, ...conformancePrompts],
    capabilities: { logging: {} },
    resources: {
      templates: [
        ...resources.templates,
        { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
      ],
      async list(cursor) {
        const page = await resources.list(cursor)
        const ours = ['test://static-text', 'test://static-binary']
        const fixtures = ours.map((uri) => ({ uri, name: uri, description: `${uri}, for the conformance suite` }))
        return { ...page, resources: [...page.resources, ...fixtures] }
      },
      async read(uri) {
        const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
        if (id !== undefined) {
          const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
          return { contents: [{ uri, mimeType: 'application/json', text }] }
        }
        if (uri === 'test://static-text') {
          const text = 'This is the content of the static text resource.'
          return { contents: [{ uri, mimeType: 'text/plain', text }] }
        }
        if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] }
        return resources.read(uri)
      },
      complete: (template, variable, typed) => resources.complete(template, variable, typed),
    },
  }
}

const conformancePrompts: readonly McpPrompt[] = [
  prompt('test_simple_prompt', [], async () => [{ type: 'text', text: 'This is a simple prompt for testing.' }]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], async ({ arg1, arg2 }) => [
    { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
  ]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], async ({ resourceUri = '' }) => [
    {
      type: 'resource',
      resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    },
    { type: 'text', text: 'Please process the embedded resource above.' },
  ]),
  prompt('test_prompt_with_image', [], async () => [
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { type: 'text', text: 'Please analyze the image above.' },
  ]),
  {
    definition: { name: 'test_input_required_result_prompt', description: 'A prompt that asks' },
    async get(_values, { mcpReq }) {
      if (inputResponse(mcpReq.inputResponses, 'user_context').kind === 'missing') {
        const user_context = question('What context should the prompt use?', 'context')
        return inputRequired({ inputRequests: { user_context } })
      }
      return { messages: [{ role: 'user', content: { type: 'text', text: 'In this context.' } }] }
    },
  },
]

type Content = Extract<Awaited<ReturnType<McpPrompt['get']>>, { messages: unknown[] }>['messages'][number]['content']

function prompt(
  name: string,
  names: readonly string[],
  contents: (values: Readonly<Record<string, string>>) => Promise<readonly Content[]>,
): McpPrompt {
  return {
    definition: {
      name,
      description: `${name}, for the conformance suite`,
      arguments: names.map((each) => ({ name: each, description: each, required: true })),
    },
    get: async (values) => ({ messages: (await contents(values)).map((content) => ({ role: 'user', content })) }),
    complete: async () => [],
  }
}
