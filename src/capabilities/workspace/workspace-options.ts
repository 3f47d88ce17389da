export interface WorkspaceOptions {
  /** The agent's own folder, absolute. Nothing outside of it is in reach, wherever links lead. */
  readonly folder: string
  /** Folders that stay out of reach even where the workspace holds them, absolute: the home, say. */
  readonly outOfReach?: readonly string[]
  /**
   * Files that become instructions or programs, besides `AGENTS.md`, and folders of skills, besides `.agents/skills`: they
   * may be read and never changed. Absolute.
   */
  readonly readOnly?: readonly string[]
}
