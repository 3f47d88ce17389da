import type { ToolDefinition } from '../../../context.ts'
import type { CallParameters } from '../../../model.ts'
import { HttpFailure } from '../../../server.ts'
import type { MessagesBody } from './anthropic-schema.ts'

/** The tools that the caller's program runs. Throws an `HttpFailure` for one that Anthropic defines. */
export function clientTools({ tools }: MessagesBody): readonly ToolDefinition[] {
  return (tools ?? []).map(({ type, name, description, input_schema: schema, strict }, at) => {
    const where = `tools.${at}`
    if (type && type !== 'custom') {
      throw new HttpFailure(
        'unsupported-parameter',
        `${where}: ${type} is a tool that Anthropic defines. This gateway passes on only tools with an \`input_schema\`, which your ` +
          'program runs. Leave it out.',
        { parameter: where },
      )
    }
    if (!name)
      throw new HttpFailure('invalid-input', `${where}.name: a tool needs a name.`, { parameter: `${where}.name` })
    return {
      name,
      ...(description ? { description } : {}),
      inputSchema: schema ?? { type: 'object', properties: {} },
      ...(typeof strict === 'boolean' ? { strict } : {}),
    }
  })
}

/** The tool that the model has to call: any, or one by its name. Throws an `HttpFailure` for one that is not offered. */
export function forcedTool({ tool_choice: choice, tools }: MessagesBody): CallParameters['toolChoice'] {
  if (!choice || choice.type === 'auto' || choice.type === 'none') return undefined
  const name = choice.type === 'any' ? undefined : choice.name
  const isOffered = (tools ?? []).some((tool) => name === undefined || tool.name === name)
  if (choice.type === 'tool' && name === undefined) {
    throw new HttpFailure('invalid-input', 'tool_choice.name: the type `tool` needs a name.', {
      parameter: 'tool_choice',
    })
  }
  if (!isOffered) {
    const which = name === undefined ? 'no tool' : `no tool named ${name}`
    throw new HttpFailure(
      'invalid-input',
      `Invalid request: \`tool_choice\` needs a tool, and \`tools\` has ${which}.`,
      {
        parameter: 'tool_choice',
      },
    )
  }
  return name === undefined ? 'required' : { toolName: name }
}
