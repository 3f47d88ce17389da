import { type ExplainInput, explainSteps, type ForeignAssembly, textCounts } from '../../foreign.ts'
import { type Clock, timeSlice } from '../../platform.ts'

/** What texts cost that come back from call to call, whichever session they are of. */
const counts = textCounts()

/** Takes a request apart, and lets other work run whenever a slice of time is used up. */
export async function explainInSlices(clock: Clock, input: Omit<ExplainInput, 'counts'>): Promise<ForeignAssembly> {
  const work = timeSlice(clock)
  const steps = explainSteps({ ...input, counts })
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (work.isOver()) await work.rest()
  }
}
