import type { FileLibrary, RunningCapabilities } from '../capability.ts'
import { defined } from '../platform.ts'
import type { InputOptions, SessionStore } from '../session.ts'
import type { Tool } from '../tool.ts'
import { createTurnCache } from './calls/history-loader.ts'
import { findCounter } from './models/counters.ts'
import type { ModelChoice } from './models/model-choice.ts'
import type { Learned } from './models/open-learned.ts'
import { idleSessions } from './notes/idle-sessions.ts'
import { createNoteWriter } from './notes/note-writer.ts'
import { type HomeSecrets, withoutSecrets } from './secrets/home-secrets.ts'
import type { SessionState } from './sessions/session-state.ts'
import { retryRule } from './settings.ts'
import { allowedTools } from './tools/tool-policy.ts'
import type { AssemblyContext } from './turn/assembly-context.ts'
import { prepareTurn, type SaidInTurn } from './turn/prepare-turn.ts'
import { createTurnQueue } from './turn/turn-queue.ts'

type QueueParts = Parameters<typeof createTurnQueue>[0]

interface TurnParts extends Omit<
  QueueParts,
  'prepare' | 'retries' | 'notes' | 'health' | 'storageRetryDelaysMs' | 'turnsAtOnce'
> {
  readonly store: SessionStore
  readonly settings: AssemblyContext['settings']
  readonly learned: Learned
  readonly models: ModelChoice
  readonly capabilities: RunningCapabilities
  readonly secrets: HomeSecrets | undefined
  readonly library: FileLibrary | undefined
  /** Everything that can be called in any session, in its order. */
  readonly tools: () => readonly Tool[]
}

/** What turns of one runtime are answered with: what assembles their calls, the queue that runs them, and notes behind them. */
export function createTurnServices(parts: TurnParts) {
  const { store, settings, capabilities, models, tools, policy, secrets, library } = parts
  const context: AssemblyContext = {
    store,
    settings,
    ...parts.learned,
    cache: createTurnCache(),
    capabilities: secrets ? withoutSecrets(capabilities, secrets) : capabilities,
    allowedTools: () => allowedTools(policy, tools()),
  }
  const prepare = async (state: Partial<SessionState>, asked: InputOptions, said: SaidInTurn) => {
    await capabilities.ready()
    return prepareTurn({ capabilities, models, context, tools, policy }, state, asked, said)
  }
  const notes = createNoteWriter({ ...parts, idle: idleSessions({ ...parts, prepare, counters: findCounter }) })
  return {
    context,
    prepare,
    files: { library, capabilities, models, context },
    notes,
    queue: createTurnQueue({
      ...parts,
      prepare,
      notes,
      health: models.health,
      retries: retryRule(settings),
      ...defined({ storageRetryDelaysMs: settings.storageRetryDelaysMs }),
      turnsAtOnce: () => settings.turnsAtOnce,
    }),
  }
}
