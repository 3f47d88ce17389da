import type { Layer } from '../../context.ts'
import type { LayerContext } from '../../capability.ts'
import type { SessionStore } from '../../session.ts'
import type { Tool } from '../../tool.ts'
import type { CalibrationBook } from '../models/calibration-book.ts'
import type { LearnedLimits } from '../models/learned-limits.ts'
import type { RuntimeSettings } from '../settings.ts'
import type { TurnSetting } from '../turns/turn-setting.ts'
import type { TurnShelf } from '../turns/turn-shelf.ts'

/** What every assembly of a runtime draws on. */
export interface Workbench {
  readonly store: SessionStore
  readonly settings: RuntimeSettings
  readonly calibration: CalibrationBook
  readonly limits: LearnedLimits
  readonly shelf: TurnShelf
  layers(context: Omit<LayerContext, 'skills'>): Promise<readonly Layer[]>
  /** What the session's turn is answered with; absent for a call that belongs to no session. */
  readonly setting?: TurnSetting
  /** Every tool that may be called at this moment, in its order. One with `offeredWith` is offered where its layer is sent. */
  allowedTools(): Promise<readonly Tool[]>
}
