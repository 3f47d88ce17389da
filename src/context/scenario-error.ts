/** A scenario that is not one: every problem with the key it stands at. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]

  constructor(scenario: string, problems: readonly string[]) {
    super(`Scenario ${scenario} is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}
