/** The key Escape, as a terminal sends it. */
export const ESCAPE = '\u001b';
