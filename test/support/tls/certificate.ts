import { spawnSync } from "node:child_process";

/** Makes a certificate that vouches for itself, for 127.0.0.1. @returns whether openssl is there to do so */
export function makeCertificate(key: string, certificate: string): boolean {
  const words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=movedex-test -addext subjectAltName=IP:127.0.0.1".split(" ");
  return spawnSync("openssl", [...words, "-keyout", key, "-out", certificate]).status === 0;
}
