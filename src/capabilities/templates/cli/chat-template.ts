import type { SlashCommandCall } from '../../../capability.ts'
import { findByName } from '../../../cli.ts'
import { exactLine } from '../../../context.ts'
import { templateFields } from '../template-fields.ts'
import type { TemplateValue } from '../template-record.ts'
import { templateMessage } from './template-message.ts'

interface KeptTemplate {
  readonly id: string
  readonly value: TemplateValue
}

/** `/template` of a chat: the templates and their fields, or with a name the message that one becomes. */
export async function chatTemplate({ argument, ask }: Pick<SlashCommandCall, 'argument' | 'ask'>): Promise<string> {
  const { templates } = await ask<{ readonly templates: readonly KeptTemplate[] }>('/api/templates')
  const [name, ...given] = wordsOf(argument)
  if (name === undefined) return templates.length === 0 ? NONE : templates.map(lineOf).join('\n')
  const { value } = findByName(name, templates, ({ id, value: { name: own } }) => ({ id, name: own }), 'template')
  return templateMessage(value, given)
}

const NONE = 'No templates yet. Make one with `foreword templates new NAME --text TEXT`.'

function lineOf({ value: { name, text } }: KeptTemplate): string {
  const fields = templateFields(text).map(({ name: field, options = [] }) => {
    return options.length > 1 ? `${field}=${options.join('|')}` : `${field}=${options[0] ?? '…'}`
  })
  return [name, ...fields].map(exactLine).join('  ')
}

/** Words between blanks; `"topic=the tides"` and `topic="the tides"` are one. */
function wordsOf(argument: string): readonly string[] {
  return [...argument.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word.replaceAll('"', ''))
}
