// The program of the server: a bundle of its own, which `nancy serve` and a window load when they need it.
export { DeskServer } from './deskServer.ts';
export { DeviceFile } from './deviceFile.ts';
export { qrPicture } from './qrCode.ts';
export { ServeTerminal } from './serveTerminal.ts';
