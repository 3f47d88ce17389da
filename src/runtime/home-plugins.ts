import { join } from 'node:path'
import { datePlugin, instructionsPlugin, personaPlugin, type Plugin, promptPlugin } from '../plugin.ts'
import type { Configuration } from './configuration/settled.ts'
import { homeAt } from './home/home.ts'

/**
 * The plugins that every home has, in the order their layers are declared: prompt, date, instructions, persona. The
 * presets keep to their own systems (BEHAVIOURS §1.3, §2.1): `ayati` has a heading above its prompt and expects the
 * persona files, `chai` sends no prompt but one that somebody wrote, and only `auto` and `onyx` tell the date.
 */
export function homePlugins(home: string, { agent, context }: Configuration): readonly Plugin[] {
  const { systemPromptFile, soulFile, userProfileFile } = homeAt(home)
  const layout = typeof context.layout === 'string' ? context.layout : context.layout.extends
  const tellsDate = layout === 'auto' || layout === 'onyx'
  return [
    promptPlugin({
      file: systemPromptFile,
      ...(layout === 'ayati' && { heading: '# Base System Prompt' }),
      ...(layout === 'chai' && { fallback: '' }),
    }),
    ...(tellsDate ? [datePlugin({ granularity: context.dateGranularity, timeZone: context.timeZone })] : []),
    instructionsPlugin({ file: join(agent.workspace, 'AGENTS.md') }),
    personaPlugin({ soulFile, userProfileFile, expected: layout === 'ayati' }),
  ]
}
