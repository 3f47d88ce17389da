import type { CommandList } from './commands.ts'
import { useResource } from './resources.ts'

/** Saved messages, as the gateway lists them. */
export interface TemplateList {
  readonly templates: readonly {
    readonly id: string
    readonly value: { readonly name: string; readonly text: string }
  }[]
}

export const TEMPLATES = '/api/templates'

export function useTemplates(): TemplateList['templates'] | undefined {
  return useResource<TemplateList>(TEMPLATES).data?.templates
}

/** The commands, and behind them the templates whose names are no commands. */
export function withTemplates(list: CommandList, templates: TemplateList['templates'] = []): CommandList {
  const names = new Set(list.commands.map(({ name }) => name))
  const saved = templates
    .filter(({ value }) => !names.has(value.name))
    .map(({ value: { name, text } }) => ({ name, summary: firstLine(text), template: text }))
  return { ...list, commands: [...list.commands, ...saved] }
}

/** What tells templates apart in a list. */
export function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0]!
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
