/** The manuals of all drivers (see HookMapping), for programs that are too small to hold the drivers. */
export const manuals: readonly string[] = ['CLAUDE.md'];
