import { z } from 'zod'
import { files } from '../capabilities/files/files.ts'
import { search } from '../capabilities/search/search.ts'
import { capability, type SettingsWarning } from '../capability.ts'
import { skillsSettings } from '../capabilities/skills/skills-settings.ts'
import { type McpSettings, mcpSettings } from '../capabilities/mcp-client/mcp-settings.ts'
import { webSettings } from '../capabilities/web-access/web-settings.ts'
import { memory } from '../capabilities/memory/memory.ts'
import { subjects } from '../capabilities/subjects/subjects.ts'

/** Settings of built-in capabilities that are not values of their own yet. Each leaves this file as it becomes one. */

export const pending = [
  capability({
    name: 'date',
    settingsKey: 'context.dateGranularity',
    settings: z
      .enum(['day', 'minute', 'none'])
      .default('day')
      .describe('How exactly the model is told the time. A minute makes every prompt cache miss.'),
  }),
  capability({
    name: 'skills',
    settings: skillsSettings,
    settingsWarnings({ contextMode }, { layout }) {
      if (!layout.skills.asCapabilities || contextMode === 'auto') return []
      const hint = 'There each skill is a block of its own. Name those that are not needed in skills.disabled.'
      return [{ key: 'contextMode', message: `has no effect in the layout ${layout.name.replace(/\+$/, '')}`, hint }]
    },
  }),
  capability({
    name: 'web',
    settings: webSettings,
    settingsWarnings: ({ allowHosts, search: service }) =>
      allowHosts.length > 0 && service === undefined
        ? [
            {
              key: 'allowHosts',
              message: 'has no effect without web.search',
              hint: 'Name the search service there.',
            },
          ]
        : [],
  }),
  capability({
    name: 'mcp',
    settings: mcpSettings,
    settingsWarnings: ({ servers }) => Object.entries(servers).flatMap(([name, server]) => unused(name, server)),
  }),
  search,
  files,
  subjects,
  memory,
]

function unused(name: string, server: McpSettings['servers'][string]): readonly SettingsWarning[] {
  const { command, url } = server
  if ((command === undefined) === (url === undefined)) return []
  const useless = command === undefined ? (['args', 'environment', 'directory'] as const) : (['headers'] as const)
  return useless
    .filter((field) => server[field] !== undefined)
    .map((field) => ({
      key: `servers.${name}.${field}`,
      message: `has no effect on a server that is reached by ${command === undefined ? 'url' : 'command'}`,
      hint: 'Take it out.',
    }))
}
