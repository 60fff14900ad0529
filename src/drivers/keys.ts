/** The key Escape, as a terminal sends it. */
export const ESCAPE = '\u001b';

export const CTRL_C = '\u0003';
