;;; test.el --- The mode with the real server -*- lexical-binding: t -*-

;; PTO=target/debug/pto emacs --batch -l editors/emacs/test.el

;;; Code:

(require 'package)
(package-initialize)
(require 'ert)
(require 'eglot)
(load (expand-file-name "pto-mode.el" (file-name-directory load-file-name)))

(setq pto-server-command (list (expand-file-name (or (getenv "PTO") "pto")) "lsp")
      eglot-sync-connect 60)

(defconst pto-test-program "!tile = !pto.tile_buf<vec, 16x16xf32>

func.func @f(%x: !tile, %y: !tile) {
  pto.tadd ins(%x, %x) outs(%y)
  return
}
")

(defmacro pto-test-with (text &rest body)
  "Open TEXT as a program, attached to the server, and do BODY."
  (declare (indent 1))
  `(let* ((folder (make-temp-file "pto-emacs" t))
          (buffer (find-file-noselect (expand-file-name "program.pto" folder))))
     (unwind-protect
         (with-current-buffer buffer
           (insert ,text)
           (save-buffer)
           (apply #'eglot (eglot--guess-contact))
           ,@body)
       (with-current-buffer buffer
         (set-buffer-modified-p nil)
         (when (eglot-current-server) (eglot-shutdown (eglot-current-server)))
         (kill-buffer))
       (delete-directory folder t))))

(defun pto-test-wait (test)
  "Wait until the function TEST gives something."
  (let ((end (+ (float-time) 30)) found)
    (while (not (or (setq found (funcall test)) (> (float-time) end)))
      (accept-process-output nil 0.1))
    found))

(defun pto-test-has-problem ()
  "True when the server has reported a problem of this buffer."
  (flymake-start)
  (cl-some (lambda (d) (string-match-p "%z" (flymake-diagnostic-text d))) (flymake-diagnostics)))

(ert-deftest pto-problems-are-shown ()
  (pto-test-with (replace-regexp-in-string "%x, %x" "%x, %z" pto-test-program)
    (should (pto-test-wait #'pto-test-has-problem))))

(ert-deftest pto-hover-names-the-instruction ()
  (pto-test-with pto-test-program
    (goto-char (point-min))
    (search-forward "pto.ta")
    (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
      (should (string-match-p "tadd" (format "%s" hover))))))

(ert-deftest pto-values-get-new-names ()
  (pto-test-with pto-test-program
    (goto-char (point-min))
    (search-forward "outs(%")
    (eglot-rename "result")
    (should (string-match-p "outs(%result)" (buffer-string)))
    (should (string-match-p "%result: !tile" (buffer-string)))))

(ert-deftest pto-programs-are-formatted ()
  (pto-test-with (replace-regexp-in-string "  pto.tadd" "pto.tadd   " pto-test-program)
    (eglot-format-buffer)
    (should (equal (buffer-string) pto-test-program))))

(ert-deftest pto-lines-are-indented-by-their-braces ()
  (with-temp-buffer
    (pto-mode)
    (insert "func.func @f() {\nscf.for %i = %a to %b step %c {\nreturn\n}\n}\n")
    (indent-region (point-min) (point-max))
    (should (equal (buffer-string) "func.func @f() {\n  scf.for %i = %a to %b step %c {\n    return\n  }\n}\n"))))

(ert-run-tests-batch-and-exit)
;;; test.el ends here
