/** Draws pictures. The `nancy` command loads this file, with the libraries below it, as a program of its own: see scripts/lib/beside.mts. */
export { linesOfCode } from './code.ts';
export { svgOf } from './svg.ts';
export { linesOfTerminal } from './terminal.ts';
