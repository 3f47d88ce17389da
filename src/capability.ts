export { capabilitiesPlugin } from './capabilities/skills/capabilities.ts'
export { type DateOptions, datePlugin } from './capabilities/date/date.ts'
export { dateText, type Granularity } from './capabilities/date/date-text.ts'
export { instructionsPlugin, type InstructionsOptions } from './capabilities/instructions/instructions.ts'
export { personaPlugin, type PersonaOptions } from './capabilities/persona/persona.ts'
export { type Soul, soulText } from './capabilities/persona/soul.ts'
export { type UserProfile, userProfileText } from './capabilities/persona/user-profile.ts'
export { memoryPlugin } from './capabilities/memory/memory.ts'
export type { LayerContext, MemoryReading, Plugin, RememberedText, WithheldTool } from './capability/plugin.ts'
export { promptPlugin, type PromptOptions } from './capabilities/prompt/prompt.ts'
export { type RunningPlugins, startPlugins } from './capability/running-plugins.ts'
export { readerWithin } from './capability/reader-within.ts'
export type { SkillDefinition } from './capabilities/skills/skill-definition.ts'
export { skillPlugin } from './capabilities/skills/skill-plugin.ts'
export { prefixRisk } from './capabilities/shell/prefix-risk.ts'
export { RISKY_PROGRAMS_CHECKED, riskyPrograms } from './capabilities/shell/risky-programs.ts'
export { shellPlugin } from './capabilities/shell/shell.ts'
export type { ShellOptions } from './capabilities/shell/shell-tool.ts'
export { binaryFinder, type FindBinary, type FindBinaryOptions } from './capabilities/skills/folder/find-binary.ts'
export { checkSkill, type CheckOptions } from './capabilities/skills/folder/check-skill.ts'
export type { Frontmatter } from './capabilities/skills/folder/frontmatter.ts'
export { loadSkills, type LoadSkillsOptions } from './capabilities/skills/folder/load-skills.ts'
export type { LeftSkill, LoadedSkills, Skill, SkillRoot } from './capabilities/skills/skill.ts'
export type { SkillFinding } from './capabilities/skills/folder/skill-finding.ts'
export { skillRoots, type SkillPlaces } from './capabilities/skills/folder/skill-roots.ts'
export { skillsPlugin, type SkillsOptions, type SkillsPlugin } from './capabilities/skills/skills.ts'
export { skillsForms, type SkillsForms, type SkillsMode } from './capabilities/skills/skills-forms.ts'
export {
  skillFullText,
  skillLine,
  skillsFullText,
  skillSummary,
  skillsListText,
} from './capabilities/skills/skills-text.ts'
export { type SkillsTools, skillsTools, type SkillToolOptions } from './capabilities/skills/skills-tools.ts'
export { stripFrontmatter } from './capabilities/skills/folder/strip-frontmatter.ts'
export { isTrustedFolder, type TrustedFolders } from './capabilities/skills/folder/trusted-folder.ts'
export { mcpPlugin, type McpOptions } from './capabilities/mcp-client/mcp-client.ts'
export { offeredPrefix } from './capabilities/mcp-client/tool-name.ts'
export { workspacePlugin } from './capabilities/workspace/workspace.ts'
export type { WorkspaceOptions } from './capabilities/workspace/workspace-options.ts'
export type { FetchFaultCode } from './capabilities/web-access/fetch-fault.ts'
export {
  type Fetched,
  type FetchedPage,
  type GuardedFetch,
  guardedFetch,
  type GuardedFetchOptions,
  type NotFetched,
} from './capabilities/web-access/guarded-fetch.ts'
export type { Network } from './capabilities/web-access/network.ts'
export { openUrlTool, type OpenUrlOptions } from './capabilities/web-access/open-url.ts'
export { isPublicAddress } from './capabilities/web-access/public-address.ts'
export type { SearchConfiguration, SearchProvider } from './capabilities/web-access/search-provider.ts'
export { webPlugin, type WebOptions } from './capabilities/web-access/web-access.ts'
export { webSearchTool } from './capabilities/web-access/web-search.ts'
export type { FoundDocument, FoundDocuments } from './capability/cited-document.ts'
export { citationsPlugin } from './capability/citations/citations.ts'
export type { CustomAgent, Project } from './capabilities/agents/custom-agent.ts'
export { customAgentPlugin } from './capabilities/agents/agents.ts'
export { readAttachmentTool, type ReadableFile } from './capabilities/files/tools/read-attachment.ts'
export { searchAttachmentTool, type SearchAttachmentOptions } from './capabilities/files/tools/search-attachment.ts'
export { searchFilesTool, type SearchFilesOptions } from './capabilities/files/tools/search-files.ts'
export type { ProjectFiles } from './capability/plugin.ts'
export { foreignTextPlugin } from './capability/foreign-text/foreign-text.ts'
export { projectPlugin } from './capabilities/projects/projects.ts'
export { subjectsPlugin } from './capabilities/subjects/subjects.ts'
export { textPage } from './capability/text-page.ts'
