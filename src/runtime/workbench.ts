import type { Layer, ToolDefinition } from '../context.ts'
import type { LayerContext } from '../plugin.ts'
import type { SessionStore } from '../session.ts'
import type { CalibrationBook } from './calibration-book.ts'
import type { RuntimeSettings } from './settings.ts'
import type { TurnShelf } from './turn-shelf.ts'

/** What every assembly of a runtime draws on. */
export interface Workbench {
  readonly store: SessionStore
  readonly settings: RuntimeSettings
  readonly calibration: CalibrationBook
  readonly shelf: TurnShelf
  layers(context: LayerContext): Promise<readonly Layer[]>
  /** Tools that are offered in every step. */
  readonly tools: readonly ToolDefinition[]
  /** Offered once something of a conversation was cut. */
  readonly historyTool: ToolDefinition
}
