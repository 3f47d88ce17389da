export type { Access, AccessMode, AccessRead, GlobalAccess, ShellAccess, ToolAccess } from './tool/access/access.ts'
export { accessAnswer, approvalOf, ruleThatDisables, toolLimits } from './tool/access/access-answer.ts'
export {
  type AccessFile,
  type AccessFileRead,
  type AccessReader,
  accessFile,
  accessPlaces,
} from './tool/access/access-file.ts'
export { accessSchema } from './tool/access/access-schema.ts'
export { editedJson, type JsonChange } from './tool/access/edit-json.ts'
export { isListed, standsFor } from './tool/access/name-pattern.ts'
export { readAccess } from './tool/access/read-access.ts'
export { withTool } from './tool/access/with-tool.ts'
export { isBuiltInName } from './tool/built-in-names.ts'
export { callDigest } from './tool/call-digest.ts'
export { tool, type ToolAnswer, type ToolOf, type ToolSchema } from './tool/define-tool.ts'
export type { ToolFailure } from './tool/failed.ts'
export { inputFault } from './tool/input-fault.ts'
export { fileDiff } from './tool/file-diff.ts'
export { Interrupted, interruptible } from './tool/interruptible.ts'
export { cappedText } from './tool/output-cap.ts'
export type { CallDescription, PlannedCall } from './tool/planned-call.ts'
export type {
  DirectTool,
  OfferedWhile,
  PlannedTool,
  Tool,
  ToolAnswered,
  ToolCall,
  ToolContext,
  ToolFailed,
  ToolMeta,
  ToolPlan,
  ToolResult,
  ToolTraits,
} from './tool/tool.ts'
export {
  createToolbox,
  definitionOf,
  type GateAnswer,
  type RunContext,
  type Toolbox,
  type ToolboxOptions,
  type ToolGate,
} from './tool/toolbox.ts'
export { cleanEnvironment } from './tool/process/clean-environment.ts'
export { outputText, programResult, shownText } from './tool/process/program-result.ts'
export type { Program, ProgramEnd, ProgramLimits, ProgramOutput } from './tool/process/program.ts'
export { runProgram } from './tool/process/run-program.ts'
export { endOrphans } from './tool/process/orphans.ts'
export { readText, type TextRead, type TextReader } from './tool/text-reader.ts'
export { prefixRisk } from './tool/access/prefix-risk.ts'
export { commandWords } from './tool/access/command-words.ts'
