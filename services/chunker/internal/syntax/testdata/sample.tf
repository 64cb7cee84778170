# Doc.
terraform {
  required_version = ">= 1"
}
resource "aws_instance" "web" {
  ami = "x"
  tags = { Name = "y" }
  lifecycle { create_before_destroy = true }
}
variable "size" {
  default = 1
}
locals { a = 1 }
x = 1
