import { type SearchFilesOptions, searchFilesTool } from '../../capabilities/files/tools/search-files.ts'
import { searchAttachmentTool } from '../../capabilities/files/tools/search-attachment.ts'
import { readAttachmentTool } from '../../capabilities/files/tools/read-attachment.ts'
import type { Tool } from '../../tool.ts'

/** A tool that is made anew for each session that it is of use in. */
export interface SessionTool {
  /** As it is listed: for no session, so that a call of it fails. */
  readonly tool: Tool
  /** `sessions that …`. */
  readonly offeredIn: string
}

export function searchProjectTool(search: SearchFilesOptions['search']): Tool {
  return searchFilesTool({
    name: 'search_project',
    description: 'Search the files of this project. Gives numbered passages to cite.',
    search,
  })
}

export function searchAgentFilesTool(search: SearchFilesOptions['search']): Tool {
  return searchFilesTool({
    name: 'search_files_of_agent',
    description: 'Search the files you were given. Gives numbered passages to cite.',
    search,
  })
}

/** Every tool that `turnSetting` can make, so that its owner finds all of them in one list, and can deny each. */
export function sessionTools(): readonly SessionTool[] {
  const nothing = async () => ({ documents: [] })
  return [
    listed(searchProjectTool(nothing), 'sessions of a project whose files are not sent as a whole'),
    listed(searchAgentFilesTool(nothing), 'sessions of a custom agent that has files with text'),
    listed(readAttachmentTool([]), 'sessions that have a file with text'),
    listed(searchAttachmentTool({ files: [], search: nothing }), 'sessions that have a file with text'),
  ]
}

function listed(tool: Tool, offeredIn: string): SessionTool {
  const error = `${tool.name} works in ${offeredIn}, and no session asked here`
  const { name, inputSchema, readsContext = false } = tool
  return {
    tool: {
      name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      inputSchema,
      readsContext,
      execute: async () => ({ ok: false, error }),
    },
    offeredIn,
  }
}
