// What tools are, what the policy allows of them, and how their calls are checked, planned and run.
export {
  type Access,
  type AccessRead,
  type AfterUntrusted,
  isListed,
  type ShellAccess,
  matchesToolName,
} from './tool/access/access.ts'
export {
  opensAddresses,
  ownAfterUntrusted,
  policyDigest,
  redirectRule,
  type Taint,
  toolAfterUntrusted,
  untrustedAnswer,
} from './tool/access/access-answer.ts'
export { accessPaths } from './tool/access/access-paths.ts'
export { accessText, narrowAccess } from './tool/access/narrow-access.ts'
export { editJson, type JsonChange } from './tool/access/edit-json.ts'
export { accessFile, readAccess, SHELL_VARIABLES } from './tool/access/read-access.ts'
export { withTool } from './tool/access/with-tool.ts'
export { callDigest } from './tool/call-plan.ts'
export { tool } from './tool/define-tool.ts'
export {
  type CallDescription,
  type DirectTool,
  type OfferedWhile,
  type PlannedCall,
  type Tool,
  type ToolSuccess,
  type ToolCall,
  type ToolContext,
  type ToolFailed,
  type ToolImage,
  type ToolPlan,
  type ToolResult,
  type ToolProperties,
  toolFailure,
} from './tool/tool.ts'
export { inputFault, schemaFault } from './tool/schema/input-fault.ts'
export { readToolInput } from './tool/schema/unambiguous-input.ts'
export { fileDiff } from './tool/file-diff.ts'
export { truncateText } from './tool/output-cap.ts'
export {
  createToolbox,
  type GateAnswer,
  type Redaction,
  type RunContext,
  type Toolbox,
  type ToolGate,
} from './tool/toolbox.ts'
export { sentDefinition, toolDefinition } from './tool/sent-definition.ts'
export { cleanEnvironment } from './tool/process/clean-environment.ts'
export { changedFiles, findLoadableFiles, type LoadableFiles, NOT_ALL_COMPARED } from './tool/process/loadable-files.ts'
export {
  findPlannedFiles,
  pathOutside,
  type PlannedFiles,
  type PlannedPlace,
  plannedFilesChange,
  plannedFolders,
} from './tool/process/planned-files.ts'
export { type Program, type ProgramEnd, type ProgramLimits, programResult } from './tool/process/program.ts'
export { type ConfinedProgram, createSandbox, type PlannedSandbox, type Sandbox } from './tool/sandbox/sandbox.ts'
export {
  confineNode,
  findNodeSandbox,
  findSandbox,
  missingWalls,
  type SandboxProgram,
} from './tool/sandbox/find-bubblewrap.ts'
export { looksLikeRepository, obeyedNames, obeyedPath, packageFolders } from './tool/access/owners-names.ts'
export { isSecretName, obeyedAtHome, personalSecrets } from './tool/sandbox/hidden-places.ts'
export { createOwnerEnds, obeyedWithin } from './tool/sandbox/owner-search.ts'
export { linkedFiles, otherNames } from './tool/sandbox/other-names.ts'
export { endOrphans } from './tool/process/process-tree.ts'
export { readText, type TextRead, type TextReader } from './tool/text-reader.ts'
export { prefixRisk } from './tool/access/prefix-risk.ts'
export { accessRules, type AccessRule } from './tool/access/access-rules.ts'
export {
  accessAnswer,
  toolApproval,
  disablingRule,
  toolLimits,
  faultyText,
  shellGap,
  allowingPrefix,
  commandAnswer,
  prefixWords,
} from './tool/access/access-answer.ts'
export {
  type AccessState,
  changedTools,
  isWider,
  type ToolAccessChange,
  type WidenedAccess,
  widenings,
} from './tool/access/compare-access.ts'
export { widenedText } from './tool/access/widened-text.ts'
export { kindText, flagsOf, flagText } from './tool/access/presets/match-command.ts'
export type {
  CommandGrammar,
  CommandPreset,
  Operand,
  PlaceWord,
  WordKind,
} from './tool/access/presets/match-command.ts'
export {
  commandPresets,
  presetAnswer,
  presetReadsOnly,
  type PresetAnswer,
  PRESETS_CHECKED,
  presetsInstead,
} from './tool/access/presets.ts'
export { commandWords } from './tool/access/command-words.ts'
