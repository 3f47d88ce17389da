import { jsonOption, noQuestion, runSubcommand, type Subcommand } from '../../../cli.ts'
import type { Command } from '../../../capability.ts'
import { editPrompt, resetPrompt, restorePrompt, sendNoPrompt } from './change.ts'
import { listPromptVersions, showPrompt } from './show.ts'

export const prompt: Command = {
  name: 'prompt',
  summary: 'show, edit and reset the system prompt',
  usage: [
    'prompt [show] [--json]',
    'prompt edit FILE',
    'prompt none',
    'prompt reset',
    'prompt versions [--json]',
    'prompt restore N',
  ],
  details:
    'An edited prompt stands in place of the one in the home, or the packaged one, until it is reset. `edit -` reads the ' +
    'standard input. {{date}}, {{tools}} and {{citations}} in it stand for what is known in each step; {{date}} can stand in ' +
    'a sentence. With `none`, or a blank text, no system prompt is sent. Every edit and every reset is a version.',
  words: { least: 0, most: 2 },
  options: { yes: noQuestion, json: jsonOption },
  run: (call, io) => runSubcommand(prompt, subcommands, 'show', call, io),
}

const forPersons = 'change the system prompt'

const subcommands: Readonly<Record<string, Subcommand>> = {
  show: { least: 0, most: 0, run: showPrompt },
  edit: { least: 1, most: 1, forPersons, run: editPrompt },
  none: { least: 0, most: 0, forPersons, run: sendNoPrompt },
  reset: { least: 0, most: 0, forPersons, run: resetPrompt },
  versions: { least: 0, most: 0, run: listPromptVersions },
  restore: { least: 1, most: 1, forPersons, run: restorePrompt },
}
