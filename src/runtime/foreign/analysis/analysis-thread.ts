import { parentPort } from 'node:worker_threads'
import { errorMessage, systemClock } from '../../../platform.ts'
import { findCounter } from '../../models/counters.ts'
import { LARGE_BODY } from './analysed-body.ts'
import type { AnalysisNews, AnalysisOrder } from './analyst.ts'
import { createBodyAnalysis } from './body-analysis.ts'

/** The thread that takes bodies of other programs apart. What fails is an answer, too. */
const analysis = createBodyAnalysis(systemClock, findCounter)

parentPort?.on('message', ({ number, work }: AnalysisOrder) => {
  perform(work).then(
    (value) => tell({ number, value }),
    (error: unknown) => tell({ number, fault: errorMessage(error) }),
  )
})
tell({ number: 0, value: 'ready' })

function perform(work: AnalysisOrder['work']): Promise<unknown> {
  switch (work.type) {
    case 'take': {
      const { bytes } = work.body
      const taken = analysis.take(work.body)
      // The bytes are this thread's alone: where nothing of them is kept, their memory need not wait to be collected.
      return bytes.byteLength > LARGE_BODY ? taken.finally(() => (bytes.buffer as ArrayBuffer).transfer(0)) : taken
    }
    case 'takeRest':
      return analysis.takeRest(work.body)
    case 'contents':
      return analysis.contents(work.id, work.hashes)
    case 'compare':
      return analysis.compare(work.before, work.after, work.search)
  }
}

function tell(news: AnalysisNews): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort?.postMessage(news)
}
