import { argumentsOf, commandFault } from './argv-plan.ts'
import type { Allowlist, DeclaredTool, Execution } from './tools-json.ts'

/** What will keep a tool from doing its work, although its `tools.json` is in order. */
export function toolDoubts(
  { name, parameters }: DeclaredTool,
  execution: Execution,
  allowlist: Allowlist,
  allowScripts: boolean,
): readonly string[] {
  const args = argumentsOf(execution)
  const resolveCommands = args.flatMap(({ resolveCommand }) => resolveCommand ?? [])
  const programs = [execution, ...resolveCommands.filter((command) => command.script === undefined)]
  const scripts = allowScripts ? [] : resolveCommands.flatMap(({ script }) => script ?? [])
  const reached = new Set(args.map(({ param }) => param))
  const unreached = (propertiesOf(parameters) ?? []).filter((property) => !reached.has(property))
  return [
    ...programs.flatMap((program) => commandFault(program, allowlist) ?? []).map((why) => `${name} cannot run: ${why}`),
    ...unreached.map(
      (property) => `${name}: no argument takes the parameter ${property}; a call that gives it is refused`,
    ),
    ...scripts.map((script) => `${name} runs the script ${script} only once skills.allowScripts is on`),
  ]
}

/** Names that the model is told of; `undefined` where the schema does not list them. */
export function propertiesOf({ properties }: DeclaredTool['parameters']): readonly string[] | undefined {
  return properties === undefined ? undefined : Object.keys(properties as object)
}
