import {
  type AcceptanceService,
  type RunningCapabilities,
  type Runtime,
  RuntimeError,
  type WaitingChange,
  type WithheldTool,
} from '../../capability.ts'
import type { ToolDefinition } from '../../context.ts'
import { fileDiff } from '../../tool.ts'
import { runtimeFailure } from '../failure.ts'
import type { ToolPolicy } from './tool-policy.ts'

interface AcceptanceParts {
  readonly policy: ToolPolicy
  readonly capabilities: Pick<RunningCapabilities, 'ready' | 'withheld'>
  readonly acceptTool: Runtime['acceptTool']
}

/** Everything that waits until a person accepts it, in one list. */
export function createAcceptanceService({ policy, capabilities, acceptTool }: AcceptanceParts): AcceptanceService {
  async function listed(): Promise<readonly (WaitingChange & { readonly tool?: string })[]> {
    await capabilities.ready()
    const ofPolicy = await policy.waiting?.()
    const declarations = new Map(
      capabilities.withheld().flatMap((each) => (each.declared ? [[each.declared.name, each] as const] : [])),
    )
    const definitions = capabilities.withheld().filter(({ declared }) => declared === undefined)
    return [
      ...(ofPolicy ? [ofPolicy] : []),
      ...(await Promise.all([...declarations.values()].map(declarationChange))),
      ...(await Promise.all(definitions.map(toolChange))),
    ]
  }

  return {
    async waiting() {
      try {
        return (await listed()).map(({ kind, name, digest, words, difference }) => ({
          kind,
          name,
          digest,
          words,
          difference,
        }))
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    async accept(name, digest, by) {
      const change = (await listed()).find((each) => each.name === name && each.digest === digest)
      try {
        const accepted =
          change !== undefined &&
          (change.tool === undefined ? await policy.accept?.(digest, by) : await acceptTool(change.tool, digest, by))
        if (accepted) return
      } catch (error) {
        throw runtimeFailure(error)
      }
      const message = `No change of ${name} with this digest waits: it has changed again, or was accepted already.`
      const hint = 'Show what waits with `foreword accept` or GET /api/acceptance.'
      throw new RuntimeError('decided', message, { name }, { hint })
    },
  }
}

async function declarationChange({ name: tool, digest, declared }: WithheldTool) {
  const { kind, name, accepted, offered, words } = declared!
  const difference = await fileDiff(name, accepted ?? '', offered)
  return { kind, name, digest, words, difference, tool } as const
}

async function toolChange({ name, accepted, offered, digest }: WithheldTool) {
  const verb = accepted === undefined ? 'is new' : offered === undefined ? 'is gone' : 'has another definition'
  const difference = await fileDiff(`${name}.json`, definitionText(accepted), definitionText(offered))
  return { kind: 'tool', name, digest, words: [`The tool ${name} ${verb}.`], difference, tool: name } as const
}

function definitionText(definition: ToolDefinition | undefined): string {
  return definition === undefined ? '' : `${JSON.stringify(definition, null, 2)}\n`
}
